import Foundation
import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckTLS
import Testing

@testable import TapedeckSessions

@Suite
struct SessionDirectoryTests {
    private let temporary: TemporaryFolder
    private var folder: String { self.temporary.path }

    init() throws {
        self.temporary = try TemporaryFolder()
    }

    // MARK: Support

    private func write(_ name: String, status: Int = 200) throws -> CassetteLocation {
        let text = """
            tapedeck: 1
            responseSets:
              - name: user
                request: { method: GET, url: http://api.example.test/\(name) }
                variants:
                  - name: found
                    takes: [{ status: \(status) }]
                  - name: gone
                    takes: [{ status: 404 }]
            profiles:
              bad day: { user: gone }

            """
        try text.write(toFile: "\(self.folder)/\(name).yaml", atomically: true, encoding: .utf8)
        return CassetteLocation(name, folder: self.folder)
    }

    private func directory(
        dialling: Bool = false,
        _ change: (inout SessionDirectory.Configuration) -> Void = { _ in }
    ) -> SessionDirectory {
        var configuration = SessionDirectory.Configuration(allowsDialling: dialling)
        change(&configuration)
        return SessionDirectory(
            configuration,
            library: CassetteLibrary(folder: self.folder, store: CassetteStore { SHA256.hexDigest(of: $0) }),
            default: nil,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func ask(_ session: Session, _ path: String) throws -> Int? {
        let url = try #require(AbsoluteURL("http://api.example.test/\(path)"))
        guard case .play(let play) = session.answer(MatchRequest(RequestKey(method: "GET", url: url))) else {
            return nil
        }
        return play.tape.takes[play.take].status
    }

    private var exchange: RecordedExchange {
        var response = RecordedResponse()
        response.status = 201
        return RecordedExchange(
            number: 1,
            method: "GET",
            url: "http://api.example.test/fresh",
            requestHeaders: [],
            requestBody: .bytes([]),
            response: response,
            time: 0
        )
    }

    private func error(_ body: () throws -> Void) -> SessionError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SessionError
        }
    }

    // MARK: Making

    @Test func sessionsOfOneCassetteShareOnlyItsTape() throws {
        let github = try self.write("github")
        let directory = self.directory()
        var request = SessionDirectory.Request(mode: .replay, cassettes: [github])
        request.name = "Login › offline!"
        let first = try directory.create(request)
        request.selections = [(set: "user", variant: "gone")]
        request.state = [StateEntry("mood", "good")]
        request.seed = 7
        let second = try directory.create(request)
        #expect(first.tape === second.tape)
        #expect(try self.ask(first, "github") == 200)
        #expect(try self.ask(second, "github") == 404)
        #expect(first.values.isEmpty)
        #expect(second.values == ["mood": "good"])
        #expect(second.seed == 7)
        #expect(first.id.hasPrefix("Login-offline-"))
        #expect(first.id != second.id)
        #expect(first.token != second.token)
        #expect(first.token.count >= 28)
        #expect(directory.sessions.map(\.id) == [first.id, second.id])
    }

    @Test func anInvalidRequestIsReportedAndCreatesNoSession() throws {
        let github = try self.write("github")
        let directory = self.directory { $0.limits.sessions = 1 }
        func request(_ mode: Mode, _ change: (inout SessionDirectory.Request) -> Void = { _ in }) -> SessionError? {
            self.error {
                var request = SessionDirectory.Request(mode: mode, cassettes: [github])
                change(&request)
                _ = try directory.create(request)
            }
        }
        let replaysOnly = try #require(request(.append))
        #expect(replaysOnly.kind == .notAllowed)
        #expect(replaysOnly.description.contains("tapedeck serve"))
        let policy = try #require(request(.replay) { $0.policy = .passthrough })
        #expect(policy.kind == .badRequest)
        let variant = try #require(request(.replay) { $0.selections = [(set: "user", variant: "gnoe")] })
        #expect(variant.kind == .badSelection)
        #expect(variant.description.contains("did you mean \"gone\"?"))
        let profile = try #require(request(.replay) { $0.profiles = [(name: "good day", targets: [])] })
        #expect(profile.kind == .badSelection)
        let missing = try #require(request(.replay) { $0.cassettes = [CassetteLocation("githb", folder: self.folder)] })
        #expect(missing.kind == .badCassette)
        #expect(missing.description == "githb.yaml: error: there is no such cassette; did you mean github?")
        #expect(directory.count == 0)
        #expect(request(.replay) == nil)
        #expect(request(.replay)?.kind == .limit)
    }

    // MARK: Ending

    @Test func anEndedSessionLeavesItsReportForAWhile() async throws {
        let github = try self.write("github")
        let directory = self.directory { $0.keptReports = 2 }
        var ids: [String] = []
        for _ in 0..<3 {
            let session = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
            _ = try self.ask(session, "github")
            _ = try self.ask(session, "missing")
            ids.append(session.id)
            let ended = try #require(await directory.end(session.id))
            #expect(ended.report.played == 1)
            #expect(ended.report.unmatchedCount == 1)
            #expect(session.isEnded)
            #expect(session.changes.isClosed)
        }
        #expect(await directory.end(ids[0]) == nil)
        guard case .unknown = directory.find(ids[0]), case .ended(let last) = directory.find(ids[2]) else {
            Issue.record("the oldest report is to go, the newest to stay")
            return
        }
        #expect(last.report.id == ids[2])
        #expect(!last.wasIdle)
        #expect(directory.count == 0)
    }

    @Test func anIdleSessionEndsAndOneInUseDoesNot() async throws {
        let github = try self.write("github")
        let patient = self.directory { $0.idleLimit = 3_600 }
        let used = try patient.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        await patient.endIdle()
        #expect(!used.isEnded)

        let impatient = self.directory { $0.idleLimit = 0 }
        let idle = try impatient.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        await impatient.endIdle()
        guard case .ended(let ended) = impatient.find(idle.id) else {
            Issue.record("not ended")
            return
        }
        #expect(ended.wasIdle)
    }

    // MARK: Recording

    @Test func aSessionRecordsIntoACassetteThatItThenPlays() async throws {
        let github = try self.write("github")
        let directory = self.directory(dialling: true)
        let session = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        let other = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        let new = CassetteLocation("new", folder: self.folder)
        try directory.record(session, into: new, mode: .append)
        #expect(session.mode == .append)
        #expect(session.recordingStatus?.cassette == new)
        let twice = try #require(self.error { try directory.record(session, into: github, mode: .record) })
        #expect(twice.kind == .conflict)
        // Another one may record it at the same time.
        try directory.record(other, into: new, mode: .append)
        #expect(try await directory.stopRecording(of: other)?.exchanges == 0)

        let recorder = try #require(session.recorder)
        let problem = recorder.append(self.exchange)
        #expect(problem == nil)
        let saved = try #require(try await directory.stopRecording(of: session))
        #expect(saved.exchanges == 1)
        #expect(session.mode == .replay)
        #expect(try self.ask(session, "fresh") == 201)
        #expect(try self.ask(session, "github") == 200)
        #expect(try await directory.stopRecording(of: session) == nil)
    }

    @Test func anEmptyRecordingDoesNotChangeTheSession() async throws {
        let github = try self.write("github")
        let directory = self.directory(dialling: true)
        let session = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        try directory.record(session, into: CassetteLocation("new", folder: self.folder), mode: .append)
        #expect(try await directory.stopRecording(of: session)?.exchanges == 0)
        #expect(session.cassettes == [github])
        _ = try self.write("github", status: 203)
        directory.cassettesChanged(directory.library.reload([github]))
        #expect(try self.ask(session, "github") == 203)
    }

    @Test func theEndOfASessionSavesItsRecording() async throws {
        let directory = self.directory(dialling: true)
        let new = CassetteLocation("new", folder: self.folder)
        let session = try directory.create(SessionDirectory.Request(mode: .record, cassettes: [new]))
        #expect(session.mode == .record)
        _ = session.recorder?.append(self.exchange)
        let ended = try #require(await directory.end(session.id))
        #expect(ended.saved?.exchanges == 1)
        let text = try String(contentsOfFile: new.path, encoding: .utf8)
        #expect(text.contains("http://api.example.test/fresh"))
    }

    @Test func aChangedCassetteReachesTheSessionsThatPlayIt() throws {
        let github = try self.write("github")
        let payments = try self.write("payments")
        let directory = self.directory()
        let one = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github]))
        let both = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [github, payments]))
        let other = try directory.create(SessionDirectory.Request(mode: .replay, cassettes: [payments]))
        let untouched = other.tape
        _ = try self.write("github", status: 203)
        directory.cassettesChanged(directory.library.reload([github]))
        #expect(try self.ask(one, "github") == 203)
        #expect(try self.ask(both, "github") == 203)
        #expect(try self.ask(both, "payments") == 200)
        #expect(other.tape === untouched)
    }
}
