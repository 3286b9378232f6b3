import NIOCore
import NIOPosix
import TapedeckTLS

/// An origin on loopback that sends a test's answers when the test says so, over plain HTTP or TLS. One connection.
struct ScriptedOrigin {
    private let channel: any Channel
    private let connections: AsyncStream<any Channel>
    private let scheme: String

    /// - Parameter authority: signs the certificate of `localhost`; `nil` is plain HTTP.
    static func start(authority: CertificateAuthority? = nil) async throws -> ScriptedOrigin {
        let context = try authority.map { try TLSServerContext(leaves: LeafCache(authority: $0)) }
        let (connections, continuation) = AsyncStream.makeStream(of: (any Channel).self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let tls = try TLSHandler.server(context: context, fallbackHost: "localhost")
                        try channel.pipeline.syncOperations.addHandler(tls)
                    }
                    try channel.pipeline.syncOperations.addHandler(RequestWaiter(continuation: continuation))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return ScriptedOrigin(channel: channel, connections: connections, scheme: context == nil ? "http" : "https")
    }

    var url: String { "\(self.scheme)://localhost:\(self.port)" }
    var port: Int { self.channel.localAddress?.port ?? 0 }

    /// The connection that the next request came on, once it has come.
    func asked() async -> Asked? {
        for await channel in self.connections { return Asked(channel: channel) }
        return nil
    }

    func stop() async throws {
        try await self.channel.close()
    }

    /// A request that waits for its answer.
    struct Asked: Sendable {
        fileprivate let channel: any Channel

        func send(_ text: String) async throws {
            try await self.channel.writeAndFlush(ByteBuffer(string: text))
        }

        func close() async throws {
            try await self.channel.close()
        }

        /// Returns when the other side has closed the connection.
        func untilClosed() async throws {
            try await self.channel.closeFuture.get()
        }
    }

    private final class RequestWaiter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<any Channel>.Continuation
        private var seen = ""

        init(continuation: AsyncStream<any Channel>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.seen += String(buffer: self.unwrapInboundIn(data))
            guard self.seen.hasSuffix("\r\n\r\n") else { return }
            self.seen = ""
            self.continuation.yield(context.channel)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
