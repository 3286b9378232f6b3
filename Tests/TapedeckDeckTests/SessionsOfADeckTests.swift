import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

@testable import TapedeckDeck

@Suite struct SessionsOfADeckTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func directory(idleLimit: Int? = nil) -> SessionDirectory {
        var configuration = SessionDirectory.Configuration(allowsDialling: false)
        configuration.idleLimit = idleLimit
        let library = CassetteLibrary(folder: "/nonexistent", store: Deck.store)
        return SessionDirectory(configuration, library: library, default: nil, log: Self.log)
    }

    private func ask(_ session: Session, _ url: String) throws {
        let url = try #require(AbsoluteURL(url))
        let decision = session.answer(MatchRequest(RequestKey(method: "GET", url: url), body: .empty))
        guard case .reject = decision else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test(.long) func `an idle session ends`() async throws {
        let sessions = self.directory(idleLimit: 1)
        let session = try sessions.create(SessionDirectory.Request(mode: .replay, cassettes: []))
        let idle = IdleSessions(ending: sessions)
        while !session.isEnded { await session.changes.wait(after: session.changes.version) }
        // Returns once the end is over, its report included.
        await idle.stop()
        guard case .ended(let ended) = sessions.find(session.id) else { throw Unexpected() }
        #expect(ended.wasIdle)
    }

    @Test func `the summary counts all sessions, and lists unmatched requests`() async throws {
        let sessions = self.directory()
        for number in 1...3 {
            var request = SessionDirectory.Request(mode: .replay, cassettes: [])
            request.name = "test \(number)"
            let session = try sessions.create(request)
            for page in 1...10 { try self.ask(session, "http://api.example.com/\(number)/\(page)") }
            // One after the other, as the summary lists those that ended first.
            _ = await sessions.end(session.id)
        }
        let report = DeckReport(
            session: nil,
            others: sessions.tally,
            connectionsOpened: 0,
            saved: nil,
            recordingFailure: nil,
            cassettes: []
        )
        #expect(report.unmatchedCount == 0)
        let lines = DeckSummary(report).lines
        #expect(lines.first == "3 sessions: 0 requests played, 30 unmatched, 0 connections opened upstream")
        #expect(lines.count { $0.hasPrefix("unmatched in session test-") } == 20)
        #expect(lines.contains { $0.hasSuffix(": GET http://api.example.com/2/10") })
        #expect(lines.last == "and 10 more unmatched")
    }

    @Test func `without other sessions the summary has no line about them`() {
        let session = Session(Session.Settings(mode: .replay), tape: Tape([Cassette]()))
        let report = DeckReport(
            session: session.report(),
            others: self.directory().tally,
            connectionsOpened: 0,
            saved: nil,
            recordingFailure: nil,
            cassettes: []
        )
        #expect(DeckSummary(report).lines.contains { $0.contains("session") } == false)
    }
}
