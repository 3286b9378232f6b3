import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import TestShare
import Testing

/// Event streams and other slow bodies while they are recorded, with an origin that waits for the client.
@Suite struct StreamRecordingTests {
    private let folder: TemporaryFolder
    private let origins: CertificateAuthority

    init() throws {
        self.folder = try TemporaryFolder()
        self.origins = try CertificateAuthority.ephemeral()
    }

    enum Framing: CaseIterable {
        case chunked
        case length
        case untilClose

        /// - Parameter length: of the body.
        func head(_ type: String, length: Int) -> String {
            let framing =
                switch self {
                case .chunked: "Transfer-Encoding: chunked\r\n"
                case .length: "Content-Length: \(length)\r\n"
                case .untilClose: ""
                }
            return "HTTP/1.\(self == .untilClose ? 0 : 1) 200 OK\r\nContent-Type: \(type)\r\n\(framing)\r\n"
        }

        func piece(_ text: String) -> String {
            self == .chunked ? "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" : text
        }
    }

    private static let events = ["data: 1\n\n", "event: b\ndata: 2\n\n"]

    private func start() async throws -> SharedProxy {
        let authority = self.origins.certificatePEM
        return try await SharedProxy.start(dials: true, folder: self.folder.path) { $0.upstreamCAPEM = [authority] }
    }

    private func session(_ proxy: SharedProxy, _ mode: Mode, _ name: String = "tape") throws -> Session {
        let tape = CassetteLocation(name, folder: self.folder.path)
        return try proxy.sessions.create(
            SessionDirectory.Request(mode: mode, cassettes: mode == .passthrough ? [] : [tape])
        )
    }

    /// A client that has asked the origin for `/events`, and where the origin answers.
    private static func ask(
        _ origin: ScriptedOrigin,
        _ proxy: SharedProxy,
        _ session: Session
    ) async throws -> (client: WireClient, asked: ScriptedOrigin.Asked) {
        let client = try await proxy.connect()
        if origin.url.hasPrefix("https:") {
            try await client.send(
                SharedProxy.connect("localhost:\(origin.port)", SharedProxy.header(session.key))
            )
            _ = await client.read(through: "\r\n\r\n")
            try await client.startTLS("localhost", authority: proxy.authority)
            try await client.send("GET /events HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n")
        } else {
            try await client.send(SharedProxy.get("\(origin.url)/events", SharedProxy.header(session.key)))
        }
        return (client, try #require(await origin.asked()))
    }

    private func text(_ name: String = "tape") throws -> String {
        let path = CassetteLocation(name, folder: self.folder.path).path
        return String(decoding: try FileContents.read(path), as: UTF8.self)
    }

    static let cases = [Mode.record, .passthrough].flatMap { mode in
        Framing.allCases.flatMap { framing in [false, true].map { (mode, framing, $0) } }
    }

    @Test(.long, .timeLimit(.minutes(20)), arguments: cases)
    func anEventReachesTheClientBeforeTheNextIsSent(_ mode: Mode, _ framing: Framing, _ isTLS: Bool) async throws {
        let proxy = try await self.start()
        let origin = try await ScriptedOrigin.start(authority: isTLS ? self.origins : nil)
        let session = try self.session(proxy, mode)
        let (client, asked) = try await Self.ask(origin, proxy, session)
        let length = Self.events.joined().utf8.count
        // The first event comes with the head.
        try await asked.send(framing.head("text/event-stream", length: length) + framing.piece(Self.events[0]))
        let first = await client.read(through: framing.piece(Self.events[0]))
        #expect(first.hasSuffix("\r\n\r\n" + framing.piece(Self.events[0])))
        try await asked.send(framing.piece(Self.events[1]) + (framing == .chunked ? "0\r\n\r\n" : ""))
        if framing == .untilClose { try await asked.close() }
        let end = framing.piece(Self.events[1]) + (framing == .chunked ? "0\r\n\r\n" : "")
        #expect(await client.read(through: end).hasSuffix(end))
        if mode == .record {
            await session.untilRecorded(1)
            let ended = await proxy.sessions.end(session.id)
            #expect(ended?.saved?.exchanges == 1)
            let take = try #require(try self.take())
            #expect(take.pieces == BodyPieces(.events))
            #expect(take.pieceTimes.count == 2)
            #expect(take.pieceTimes == take.pieceTimes.sorted())
        }
        try await proxy.stop()
        try await origin.stop()
    }

    private func take(_ name: String = "tape") throws -> Take? {
        let text = try FileContents.read(CassetteLocation(name, folder: self.folder.path).path)
        let result = CassetteReader.read(text, name: name, path: "")
        #expect(result.diagnostics.isEmpty)
        return result.cassette.responseSets.first?.variants.first?.takes.first
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false], Framing.allCases)
    func completeEventsAreKeptWhenTheClientLeavesAStream(_ vanishes: Bool, _ framing: Framing) async throws {
        let proxy = try await self.start()
        let origin = try await ScriptedOrigin.start()
        let session = try self.session(proxy, .record)
        let (client, asked) = try await Self.ask(origin, proxy, session)
        let unfinished = framing.piece(Self.events[0]) + framing.piece("data: un")
        try await asked.send(framing.head("text/event-stream", length: 1_000) + unfinished)
        _ = await client.read(through: unfinished)
        if vanishes { try await client.vanish() } else { await client.close() }
        try await asked.untilClosed()
        await session.untilRecorded(1)
        let ended = await proxy.sessions.end(session.id)
        #expect(ended?.saved?.exchanges == 1)
        #expect(ended?.report.troubles.isEmpty == true)
        let take = try #require(try self.take())
        // One piece; its time depends on the machine.
        let recorded = try #require(take.recorded)
        #expect(recorded.contains(/\ ms, in pieces after [0-9]+ ms, until the client left$/))
        #expect(take.pieces == BodyPieces(.events))
        guard case .inline(let body) = take.body else { return #expect(Bool(false), "\(take.body)") }
        #expect(body.decoded == Array(Self.events[0].utf8))

        // And it plays as a stream that ended there.
        let replay = try self.session(proxy, .replay)
        let player = try await proxy.connect()
        let closing = ["Connection: close", SharedProxy.header(replay.key)]
        try await player.send(SharedProxy.get("\(origin.url)/events", closing[0], closing[1]))
        let (bytes, ending) = await player.readToEnd()
        let answer = String(decoding: bytes, as: UTF8.self)
        #expect(answer.hasSuffix("\r\n\r\n" + framing.piece(Self.events[0]) + (framing == .chunked ? "0\r\n\r\n" : "")))
        #expect(ending == .closed)
        try await proxy.stop()
        try await origin.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func aStreamThatTheClientLeavesBeforeItsFirstEventIsDropped() async throws {
        let proxy = try await self.start()
        let origin = try await ScriptedOrigin.start()
        let session = try self.session(proxy, .record)
        let (client, asked) = try await Self.ask(origin, proxy, session)
        let start = Framing.chunked.head("text/event-stream", length: 0) + Framing.chunked.piece("data: un")
        try await asked.send(start)
        _ = await client.read(through: Framing.chunked.piece("data: un"))
        try await client.vanish()
        try await asked.untilClosed()
        let ended = await proxy.sessions.end(session.id)
        #expect(ended?.saved?.exchanges ?? 0 == 0)
        #expect(ended?.report.troubles.map(\.notRecorded) == ["the client went away before the response was complete"])
        try await proxy.stop()
        try await origin.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func theSplitOfTheBytesChangesOnlyTheRecordedLine() async throws {
        let proxy = try await self.start()
        let origin = try await ScriptedOrigin.start()
        let whole = Self.events.joined()
        for (name, pieces) in [("a", [whole]), ("b", whole.map { String($0) })] {
            let session = try self.session(proxy, .record, name)
            let (client, asked) = try await Self.ask(origin, proxy, session)
            try await asked.send(Framing.chunked.head("text/event-stream", length: 0))
            for piece in pieces {
                try await asked.send(Framing.chunked.piece(piece))
                // So that each is read by itself.
                _ = await client.read(through: Framing.chunked.piece(piece))
            }
            try await asked.send("0\r\n\r\n")
            _ = await client.read(through: "0\r\n\r\n")
            await session.untilRecorded(1)
            _ = await proxy.sessions.end(session.id)
        }
        let texts = try ["a", "b"].map { name in
            try self.text(name).split(separator: "\n").filter { !$0.contains("recorded: ") }
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains { $0.hasSuffix("pieces: events") })
        try await proxy.stop()
        try await origin.stop()
    }
}
