import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import Testing

/// Recordings that begin and end during exchanges.
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

    @Test func aPendingAnswerReachesItsClientAfterTheSessionEnds() async throws {
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

    /// The deck cannot say of it that it is on tape, and the client would believe so.
    @Test func aRequestWhoseSessionEndsBeforeItMatchesIsRejected() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder)
        let cassette = CassetteLocation("live", folder: self.folder)
        let session = try proxy.sessions.create(SessionDirectory.Request(mode: .append, cassettes: [cassette]))
        let echo = try await EchoOrigin.start()
        let url = try #require(AbsoluteURL("\(echo.url)/asked"))
        let body = BodyMatcher.text(.contains("other"))
        session.add(
            ResponseSet(
                name: "for other bodies",
                request: RequestMatcher(method: "POST", url: url, body: body),
                variants: [Variant(name: "a", behaviour: Behaviour(.takes([Take(body: RunningProxy.text("other"))])))]
            )
        )
        let client = try await proxy.connect()
        let head = "POST \(url) HTTP/1.1\r\nHost: a\r\n\(SharedProxy.header(session.key))\r\n"
        try await client.send(head + "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(await client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        let ended = await proxy.sessions.end(session.id)
        #expect(ended != nil)
        try await client.send("body")
        let answer = await client.response()
        #expect(answer.status == 410)
        #expect(answer["x-tapedeck-session-error"] == "sessionEnded")
        #expect(session.report().connectionsOpened == 0)
        guard case .refused = try #require(session.journal.entry(1)).outcome else {
            Issue.record("not refused in the journal")
            return
        }
        await client.close()
        try await proxy.stop()
        try await echo.stop()
    }
}
