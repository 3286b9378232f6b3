import HTTPTypes
import Hummingbird
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Recording: while requests come, and after the fact.
enum RecordingRoutes {
    static let all: [Route] = [
        Route(.get, "/v1/sessions/{id}/recording") { call in
            guard let model = RecordingModel(of: try call.session()) else { throw Self.none }
            return try Reply.json(model)
        },
        Route(.put, "/v1/sessions/{id}/recording", Self.start),
        Route(.delete, "/v1/sessions/{id}/recording", Self.stop),
        Route(.post, "/v1/sessions/{id}/snapshot", Self.snapshot),
    ]

    private static var none: Problem { .notFound("not-recording", "the session does not record") }

    private struct RecordingRequest: Decodable {
        var cassette: String
        var mode: String?
    }

    private static func start(_ call: Call) async throws -> Response {
        let session = try call.session()
        let wanted = try await call.body(RecordingRequest.self)
        guard let mode = Mode(rawValue: wanted.mode ?? Mode.append.rawValue), mode.records else {
            throw Problem.badBody("/mode", "this must be record or append")
        }
        let sessions = call.deck.sessions
        let location = try sessions.library.location(named: wanted.cassette)
        try await call.withFiles { try sessions.record(session, into: location, mode: mode) }
        guard let model = RecordingModel(of: session) else { throw Self.none }
        return try Reply.json(model, status: .created)
    }

    private static func stop(_ call: Call) async throws -> Response {
        let session = try call.session()
        let cassette = session.recordingStatus?.cassette.name ?? ""
        guard let saved = try await call.deck.sessions.stopRecording(of: session) else { throw Self.none }
        return try Reply.json(RecordingModel(saved, cassette: cassette))
    }

    private struct SnapshotRequest: Decodable {
        var cassette: String
        var request: RawJSON?
    }

    private static func snapshot(_ call: Call) async throws -> Response {
        let session = try call.session()
        let wanted = try await call.body(SnapshotRequest.self)
        let sessions = call.deck.sessions
        let location = try sessions.library.location(named: wanted.cassette)
        let snapshot = JournalSnapshot(of: session, try JournalRoutes.matcher(wanted.request))
        let model = try await call.withFiles {
            let saved = try sessions.save(snapshot.exchanges, of: session, to: location)
            return RecordingModel(saved, cassette: location.name)
        }
        var whole = model
        let leftOut = (model.leftOut ?? []) + snapshot.leftOut
        whole.leftOut = leftOut.isEmpty ? nil : leftOut
        return try Reply.json(whole)
    }
}
