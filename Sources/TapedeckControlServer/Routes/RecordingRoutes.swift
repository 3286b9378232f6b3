import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

/// Recording: while requests come, and after the fact.
enum RecordingRoutes {
    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/sessions/{id}/recording") { call in
            guard let model = RecordingModel(of: try call.session()) else { throw Self.none }
            return try Reply.json(model)
        },
        ControlRoute(.put, "/v1/sessions/{id}/recording", Self.start),
        ControlRoute(.delete, "/v1/sessions/{id}/recording", Self.stop),
        ControlRoute(.post, "/v1/sessions/{id}/snapshot", Self.snapshot),
        ControlRoute(.post, "/v1/sessions/{id}/keep", Self.keep),
    ]

    private static var none: Problem { .notFound("not-recording", "the session does not record") }

    private struct RecordingRequest: Decodable {
        var cassette: String
        var mode: String?
        var variant: String?
    }

    private static func start(_ call: Call) async throws -> Response {
        let session = try call.session()
        let wanted = try await call.body(RecordingRequest.self)
        let variant = try wanted.variant.map { try ScenarioName($0, at: "/variant") }
        let usual: Mode = variant == nil ? .append : .record
        guard let mode = Mode(rawValue: wanted.mode ?? usual.rawValue), mode.records else {
            throw Problem.badBody("/mode", "this must be record or append")
        }
        guard variant == nil || mode == .record else {
            throw Problem.badBody("/mode", "a recording is saved as a variant in the mode record only")
        }
        let sessions = call.deck.sessions
        let location = try sessions.library.location(named: wanted.cassette)
        try await call.withFiles { try sessions.record(session, into: location, mode: mode, variant: variant) }
        guard let model = RecordingModel(of: session) else { throw Self.none }
        return try Reply.json(model, status: 201)
    }

    private static func stop(_ call: Call) async throws -> Response {
        let session = try call.session()
        let cassette = session.recordingStatus?.cassette
        guard let saved = try await call.deck.sessions.stopRecording(of: session) else { throw Self.none }
        let missing = session.report().leftOut.first
        return try Reply.json(
            RecordingModel(saved, cassette: cassette?.name ?? "", path: cassette?.path, missing)
        )
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
        return try Reply.json(Self.whole(model, snapshot))
    }

    private static func whole(_ model: RecordingModel, _ snapshot: JournalSnapshot) -> RecordingModel {
        var whole = model
        let leftOut = (model.leftOut ?? []) + snapshot.leftOut
        whole.leftOut = leftOut.isEmpty ? nil : leftOut
        return whole
    }

    // MARK: Keeping answers

    private struct KeptAnswers: Decodable {
        var cassette: String?
        var variant: String
        var numbers: [Int]?
        var request: RawJSON?
    }

    /// Saves answers of the journal as a variant of the sets that answer their requests.
    private static func keep(_ call: Call) async throws -> Response {
        let session = try call.session()
        let wanted = try await call.body(KeptAnswers.self)
        let variant = try ScenarioName(wanted.variant, at: "/variant")
        guard wanted.numbers != nil || wanted.request != nil else {
            throw Problem.badBody("/numbers", "name the requests by their numbers, or with `request`")
        }
        let entries = session.journal.view().entries
        if let missing = wanted.numbers?.first(where: { number in !entries.contains { $0.number == number } }) {
            throw Problem.notFound("unknown-entry", "the journal has no request \(missing) (any more)")
        }
        let numbers = wanted.numbers.map(Set.init)
        let snapshot = JournalSnapshot(
            of: session,
            try JournalRoutes.matcher(wanted.request),
            numbers: numbers,
            includesPlayed: true
        )
        guard !snapshot.exchanges.isEmpty else {
            let reason = snapshot.leftOut.first ?? "no request of the journal that was answered matches"
            throw Problem.conflict("nothing was saved: \(reason)")
        }
        let sessions = call.deck.sessions
        let location = try Self.cassette(wanted.cassette, of: session, playing: snapshot, sessions)
        let model = try await call.withFiles {
            let saved = try sessions.save(snapshot.exchanges, of: session, to: location, as: variant)
            var model = RecordingModel(saved, cassette: location.name)
            model.variant = variant.text
            return model
        }
        return try Reply.json(Self.whole(model, snapshot))
    }

    /// Returns the cassette that answers are saved in: the one that is named, else the one that played the first of them,
    /// else the first of the session.
    private static func cassette(
        _ name: String?,
        of session: Session,
        playing snapshot: JournalSnapshot,
        _ sessions: SessionDirectory
    ) throws -> CassetteLocation {
        if let name { return try sessions.library.location(named: name) }
        let onDisk = session.cassettes.filter { !$0.isInMemory }
        if let cassette = onDisk.first(where: { $0.name == snapshot.cassette }) ?? onDisk.first { return cassette }
        throw Problem.badBody("/cassette", "the session plays no cassette on the deck's disk; name the one to save in")
    }
}
