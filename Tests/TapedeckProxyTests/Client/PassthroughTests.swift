import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Variants that contact the live server, in a deck that otherwise does not connect.
@Suite struct PassthroughTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive"

    /// An origin that gives every connection the same answer.
    private static func origin() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer())
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let channel = context.channel
            channel.writeAndFlush(ByteBuffer(string: PassthroughTests.answer)).whenComplete { _ in
                channel.close(promise: nil)
            }
        }
    }

    private static func cassette(_ port: Int, _ pacing: Pacing = Pacing()) throws -> Cassette {
        let set = ResponseSet(
            name: "live",
            request: RequestMatcher(method: nil, url: try #require(AbsoluteURL("http://127.0.0.1:\(port)/"))),
            variants: [Variant(name: "live", behaviour: Behaviour(.passthrough, pacing: pacing))]
        )
        return Cassette(name: "tape", responseSets: [set])
    }

    private static func ask(_ proxy: RunningProxy, _ port: Int, body: String? = nil) async throws -> WireClient {
        let client = try await proxy.connect()
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        let head = "\(body == nil ? "GET" : "POST") http://127.0.0.1:\(port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        try await client.send(head + length + "Connection: close\r\n\r\n" + (body ?? ""))
        return client
    }

    private static func text(_ client: WireClient) async -> String {
        String(decoding: await client.readToEnd().bytes, as: UTF8.self)
    }

    @Test(arguments: [nil, "a body"], [Pacing(), Pacing(delay: .fixed(1))])
    func aReplayWithPassthroughForwardsTheRequest(_ body: String?, _ pacing: Pacing) async throws {
        let origin = try await Self.origin()
        let port = try #require(origin.localAddress?.port)
        let proxy = try await RunningProxy.start(Self.cassette(port, pacing), allowsPassthrough: true)
        let text = await Self.text(try await Self.ask(proxy, port, body: body))
        try await proxy.stop()
        try await origin.close()
        #expect(text.hasSuffix("\r\n\r\nlive"))
        #expect(proxy.context.connectionsOpened == 1)
        #expect(proxy.session.report().forwarded == 1)
    }

    @Test func aReplayWithoutPassthroughOpensNoConnection() async throws {
        let proxy = try await RunningProxy.start(Self.cassette(9))
        let text = await Self.text(try await Self.ask(proxy, 9))
        try await proxy.stop()
        #expect(text.hasPrefix("HTTP/1.1 501 "))
        #expect(text.contains("--allow-passthrough"))
        #expect(proxy.context.connectionsOpened == 0)
    }

    @Test func aStopEndsTheDelayBeforeARequestIsForwarded() async throws {
        let origin = try await Self.origin()
        let port = try #require(origin.localAddress?.port)
        let delay = Pacing(delay: .fixed(3_600_000))
        let proxy = try await RunningProxy.start(Self.cassette(port, delay), allowsPassthrough: true)
        let client = try await proxy.connect()
        let unmatched = RunningProxy.get("/unmatched", last: false)
        let live = "GET http://127.0.0.1:\(port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        try await client.send(unmatched + live)
        _ = await client.read(1)
        #expect(proxy.context.connectionsOpened == 0)
        async let drained: Void = proxy.drain()
        let text = await Self.text(client)
        await drained
        try await proxy.stop()
        try await origin.close()
        #expect(text.hasSuffix("\r\n\r\nlive"))
    }
}
