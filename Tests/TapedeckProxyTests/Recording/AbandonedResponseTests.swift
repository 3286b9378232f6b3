import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

/// Responses that a client breaks off while they are recorded, as browsers and players do.
@Suite struct AbandonedResponseTests {
    private let folder: TemporaryFolder
    private var tape: CassetteLocation { CassetteLocation("tape", folder: self.folder.path) }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private static let fields = "ETag: \"v1\"\r\nContent-Type: text/plain\r\n"

    /// Requests the file, reads the first bytes of the answer and leaves.
    private func leave(
        _ proxy: SharedProxy,
        _ session: Session,
        _ origin: ScriptedOrigin,
        _ fields: String...,
        answer: String
    ) async throws -> ScriptedOrigin.Asked {
        let client = try await proxy.connect()
        let all = fields + [SharedProxy.header(session.key)]
        let lines = all.map { "\($0)\r\n" }.joined()
        try await client.send("GET \(origin.url)/file HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
        let asked = try #require(await origin.asked())
        try await asked.send(answer)
        _ = await client.read(through: String(answer.suffix(3)))
        let number = session.journal.view().seen
        try await client.vanish()
        while true {
            let version = session.changes.version
            if session.journal.entry(number)?.ending == .abandoned { return asked }
            await session.changes.wait(after: version)
        }
    }

    private func bodies() throws -> [String] {
        let text = try FileContents.read(self.tape.path)
        let result = CassetteReader.read(text, name: "tape", path: "")
        return result.cassette.responseSets.flatMap(\.variants).flatMap(\.takes).map { take in
            guard case .inline(let body) = take.body else { return "" }
            return String(decoding: body.decoded, as: UTF8.self)
        }
    }

    private func start(_ proxy: SharedProxy) throws -> Session {
        try proxy.sessions.create(SessionDirectory.Request(mode: .record, cassettes: [self.tape]))
    }

    @Test(.timeLimit(.minutes(20)))
    func `the rest of the response is recorded, and a range of it once`() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder.path)
        let origin = try await ScriptedOrigin.start()
        let session = try self.start(proxy)
        let whole = "HTTP/1.1 206 Partial Content\r\n\(Self.fields)Content-Length: 10\r\n"
        let asked = try await self.leave(
            proxy,
            session,
            origin,
            "Range: bytes=0-",
            answer: "\(whole)Content-Range: bytes 0-9/10\r\n\r\n0123"
        )
        let part = "HTTP/1.1 206 Partial Content\r\n\(Self.fields)Content-Length: 6\r\n"
        let second = try await self.leave(
            proxy,
            session,
            origin,
            "Range: bytes=4-",
            answer: "\(part)Content-Range: bytes 4-9/10\r\n\r\n456"
        )
        // The first response brings these bytes, so nobody waits for them here.
        try await second.untilClosed()
        try await asked.send("456789")
        await session.untilRecorded(1)
        let ended = try #require(await proxy.sessions.end(session.id))
        #expect(ended.saved?.exchanges == 1)
        #expect(ended.report.troubles.isEmpty)
        #expect(ended.report.leftOut.count == 0)
        #expect(try self.bodies() == ["0123456789"])
        try await proxy.stop()
        try await origin.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func `a response that the origin does not complete is not recorded`() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder.path)
        let origin = try await ScriptedOrigin.start()
        let session = try self.start(proxy)
        let answer = "HTTP/1.1 200 OK\r\n\(Self.fields)Content-Length: 10\r\n\r\n0123"
        let asked = try await self.leave(proxy, session, origin, answer: answer)
        try await asked.close()
        let ended = try #require(await proxy.sessions.end(session.id))
        #expect(ended.saved?.exchanges ?? 0 == 0)
        #expect(ended.report.troubles.map(\.notRecorded) == ["the client went away before the response was complete"])
        #expect(ended.report.leftOut.count == 0)
        try await proxy.stop()
        try await origin.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func `a response in progress at the end of the session is reported`() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder.path)
        let origin = try await ScriptedOrigin.start()
        let session = try self.start(proxy)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get("\(origin.url)/file", SharedProxy.header(session.key)))
        let asked = try #require(await origin.asked())
        let ended = try #require(await proxy.sessions.end(session.id))
        #expect(ended.saved?.exchanges ?? 0 == 0)
        #expect(ended.report.leftOut.first.map(\.request.url.target) == ["/file"])
        #expect(ended.report.leftOut.first.map(\.notRecorded) == [Recorder.stoppedEarly])
        // The client still gets its answer.
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await asked.send(answer)
        #expect(await client.read(through: "ok").hasSuffix("ok"))
        try await proxy.stop()
        try await origin.stop()
    }
}
