import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Requests that wait and may go to their origin.
@Suite struct HeldOriginTests {
    /// A session in `append` that holds every request.
    private static func appending(_ folder: TemporaryFolder) async throws -> (proxy: SharedProxy, session: Session) {
        let proxy = try await SharedProxy.start(dials: true, folder: folder.path) { configuration in
            configuration.matchedBodyLimit = 1_000
            configuration.heldBodyLimit = 1_000
        }
        let tape = CassetteLocation("tape", folder: folder.path)
        let session = try proxy.sessions.create(SessionDirectory.Request(mode: .append, cassettes: [tape]))
        session.add(try Holding.holder(nil))
        return (proxy, session)
    }

    @Test func aHeldRequestThatProceedsToItsOriginIsRecorded() async throws {
        let folder = try TemporaryFolder()
        let origin = try await EchoOrigin.start()
        let (proxy, session) = try await Self.appending(folder)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get("\(origin.url)/live", SharedProxy.header(session.key)))
        await Holding.held(session)
        let answer = try #require(try session.tapeAnswer(held: 1))
        #expect(answer.outcome == .forwarded)
        #expect(answer.take == nil)
        let proceeds = session.proceed(held: 1)
        #expect(proceeds)
        #expect(await client.response().body.hasPrefix("GET /live"))
        let ended = try #require(await proxy.sessions.end(session.id))
        #expect(ended.saved?.exchanges == 1)
        try await proxy.stop()
        try await origin.stop()
    }

    /// An origin that answers a request when all of its body has come, with how long that was.
    private static func counter() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Counter()) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    private final class Counter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var text = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard self.text.hasSuffix("xend"), let end = self.text.firstRange(of: "\r\n\r\n") else { return }
            let count = "\(self.text[end.upperBound...].utf8.count)"
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(count.utf8.count)\r\n\r\n\(count)"
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
        }
    }

    @Test(arguments: [true, false])
    func theRestOfALargeBodyIsReadOnRelease(_ proceeds: Bool) async throws {
        let folder = try TemporaryFolder()
        let origin = try await Self.counter()
        let (proxy, session) = try await Self.appending(folder)
        let body = String(repeating: "x", count: 100_000) + "end"
        let client = try await proxy.connect()
        try await client.send(
            "POST http://127.0.0.1:\(origin.localAddress?.port ?? 0)/large HTTP/1.1\r\nHost: h\r\n"
                + "\(SharedProxy.header(session.key))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(50_000))"
        )
        let held = try #require(await Holding.held(session).first)
        #expect(held.entry.requestBody == nil)
        let isReleased = proceeds ? session.proceed(held: 1) : session.release(held: 1, with: Take(status: 413))
        #expect(isReleased)
        try await client.send(String(body.dropFirst(50_000)))
        let response = await client.response()
        #expect(response.status == (proceeds ? 200 : 413))
        if proceeds { #expect(response.body == "\(body.utf8.count)") }
        let entry = try #require(await Holding.ended(session, 1))
        #expect(entry.requestBody?.length == body.utf8.count)
        try await proxy.stop()
        try await origin.close()
    }

    @Test(arguments: [true, false])
    func aHeldRequestWithAnUnreadBodyEndsWhenItsClientLeaves(_ vanishes: Bool) async throws {
        let folder = try TemporaryFolder()
        let (proxy, session) = try await Self.appending(folder)
        let client = try await proxy.connect()
        try await client.send(
            "POST http://api.example.test/large HTTP/1.1\r\nHost: h\r\n\(SharedProxy.header(session.key))\r\n"
                + "Content-Length: 100000\r\n\r\n\(String(repeating: "x", count: 50_000))"
        )
        await Holding.held(session)
        if vanishes { try await client.vanish() } else { await client.close() }
        await Holding.held(session, 0)
        #expect(await Holding.ended(session, 1)?.ending == .abandoned)
        let isReleased = session.proceed(held: 1)
        #expect(!isReleased)
        try await proxy.stop()
    }
}
