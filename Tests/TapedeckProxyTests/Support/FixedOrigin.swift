import NIOCore
import NIOPosix

/// An origin on loopback that gives every request the same answer, and says what it was sent.
struct FixedOrigin {
    private let channel: any Channel

    /// - Parameter head: the status line and the header fields, without the length, each with its line end.
    static func start(_ head: String = "HTTP/1.1 200 OK\r\n", body: [UInt8]) async throws -> FixedOrigin {
        let bytes = Array("\(head)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8) + body
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer(bytes: ByteBuffer(bytes: bytes)))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return FixedOrigin(channel: channel)
    }

    var url: String { "http://127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bytes: ByteBuffer
        private var text = ""
        private var isDone = false

        init(bytes: ByteBuffer) {
            self.bytes = bytes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard !self.isDone, self.text.contains("\r\n\r\n") else { return }
            self.isDone = true
            let channel = context.channel
            channel.writeAndFlush(self.bytes).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
