import NIOCore
import NIOPosix

/// An origin on loopback that sends the first half of its answer at once, and the second when it is let.
struct GatedOrigin {
    private let channel: any Channel
    private let gate: EventLoopPromise<Void>

    /// - Parameter size: of the body, in bytes.
    static func start(size: Int) async throws -> GatedOrigin {
        let gate = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let opened = gate.futureResult
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer(size: size, gate: opened))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return GatedOrigin(channel: channel, gate: gate)
    }

    var url: String { "http://127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }

    func sendRest() {
        self.gate.succeed()
    }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let size: Int
        private let gate: EventLoopFuture<Void>

        init(size: Int, gate: EventLoopFuture<Void>) {
            self.size = size
            self.gate = gate
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let half = String(repeating: "x", count: self.size / 2)
            let channel = context.channel
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(half.utf8.count * 2)\r\n\r\n"
            channel.writeAndFlush(ByteBuffer(string: head + half), promise: nil)
            self.gate.whenSuccess { channel.writeAndFlush(ByteBuffer(string: half), promise: nil) }
        }
    }
}
