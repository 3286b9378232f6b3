import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import Testing

/// Recordings that begin and end while exchanges are under way.
@Suite struct RunTimeRecordingTests {
    private let temporary: TemporaryFolder
    private var folder: String { self.temporary.path }

    init() throws {
        self.temporary = try TemporaryFolder()
    }

    private func isRecorded(_ session: Session, _ number: Int) throws -> Bool {
        guard case .forwarded(let isRecorded) = try #require(session.journal.entry(number)).outcome else {
            return false
        }
        return isRecorded
    }

    private static func untilAnswerBegins(_ session: Session, _ number: Int) async {
        while true {
            let version = session.changes.version
            guard session.journal.entry(number)?.response == nil else { return }
            await session.changes.wait(after: version)
        }
    }

    /// 400,000 bytes are more than a recording keeps in memory.
    @Test(arguments: [10, 400_000])
    func anExchangeThatIsNotCompleteAtTheEndIsNotInTheCassette(_ size: Int) async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder)
        let session = try proxy.passthrough()
        let cassette = CassetteLocation("live", folder: self.folder)
        try proxy.sessions.record(session, into: cassette, mode: .record)
        let echo = try await EchoOrigin.start()
        #expect(try await proxy.ask(SharedProxy.get(echo.url, SharedProxy.header(session.key))).status == 200)
        #expect(try self.isRecorded(session, 1))

        let slow = try await GatedOrigin.start(size: size)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get(slow.url, SharedProxy.header(session.key)))
        await Self.untilAnswerBegins(session, 2)
        let saved = try await proxy.sessions.stopRecording(of: session)
        #expect(saved?.exchanges == 1)
        let text = try FileContents.read(cassette.path)

        slow.sendRest()
        #expect(await client.response().body.utf8.count == size)
        #expect(try !self.isRecorded(session, 2))
        let reason = session.journal.entry(2)?.response?.notRecorded
        #expect(reason == "the recording was stopped before the response was complete")
        #expect(session.report().troubles.map(\.notRecorded) == [reason])
        #expect(try FileContents.read(cassette.path) == text)
        #expect(!FileContents.exists(cassette.journalFolder))
        #expect(session.mode == .passthrough)
        try await proxy.stop()
        try await echo.stop()
        try await slow.stop()
    }

    @Test func whatIsUnderWayWhenASessionEndsStillReachesItsClient() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder)
        let session = try proxy.passthrough()
        let slow = try await GatedOrigin.start(size: 10)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get(slow.url, SharedProxy.header(session.key)))
        await Self.untilAnswerBegins(session, 1)
        let ended = await proxy.sessions.end(session.id)
        #expect(ended?.report.connectionsOpened == 1)
        slow.sendRest()
        #expect(await client.response().body == "xxxxxxxxxx")
        #expect(session.journal.entry(1)?.ending == .complete)
        try await proxy.stop()
        try await slow.stop()
    }
}
