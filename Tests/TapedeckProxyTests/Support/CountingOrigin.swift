import NIOCore
import NIOPosix
import Synchronization

/// A listener on loopback that counts who connects, keeps the connection, and answers every request alike.
struct CountingOrigin {
    private let channel: any Channel
    private let count: Counter

    private final class Counter: Sendable {
        let accepted = Atomic<Int>(0)
    }

    /// - Parameter head: the status line and the header fields, without the length, each with its line end.
    static func start(
        on address: String = "127.0.0.1",
        port: Int = 0,
        _ head: String = "HTTP/1.1 200 OK\r\n"
    ) async throws -> CountingOrigin {
        let count = Counter()
        let answer = ByteBuffer(string: "\(head)Content-Length: 0\r\n\r\n")
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.accepted.wrappingAdd(1, ordering: .relaxed)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer(answer: answer))
                }
            }
            .bind(host: address, port: port)
            .get()
        return CountingOrigin(channel: channel, count: count)
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }
    var address: SocketAddress? { self.channel.localAddress }

    /// The number of connections. A connection made here comes after all others, so that none is missed.
    func connections() async throws -> Int {
        guard let address = self.address else { return -1 }
        let client = try await WireClient.connect(to: address)
        try await client.send("GET / HTTP/1.1\r\n\r\n")
        _ = await client.response()
        await client.close()
        // The one just made counts for nothing.
        return self.count.accepted.wrappingSubtract(1, ordering: .relaxed).newValue
    }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answer: ByteBuffer
        private var text = ""

        init(answer: ByteBuffer) {
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard self.text.contains("\r\n\r\n") else { return }
            self.text = ""
            context.channel.writeAndFlush(self.answer, promise: nil)
        }
    }
}
