import NIOCore
import NIOPosix
import Testing

/// An origin on loopback that answers each request, once its head is there, with the head it got; or, where that asks
/// for it, switches to a protocol that says "hi".
struct EchoOrigin {
    private let channel: any Channel

    static func start() async throws -> EchoOrigin {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answerer()) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return EchoOrigin(channel: channel)
    }

    var address: SocketAddress? { self.channel.localAddress }

    var url: String { "http://127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var text = ""
        private var isDone = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard !self.isDone, let end = self.text.firstRange(of: "\r\n\r\n") else { return }
            self.isDone = true
            let head = self.text[..<end.lowerBound]
            let channel = context.channel
            guard !head.contains("\r\nUpgrade: hi") else {
                let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: hi\r\n\r\nhi"
                channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
                return
            }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\nConnection: close\r\n\r\n\(head)"
            channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
