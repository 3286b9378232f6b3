import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An origin on loopback that takes connections and, at the first bytes, closes the first of them and resets the others.
struct ClosingOrigin {
    private let channel: any Channel

    static func start() async throws -> ClosingOrigin {
        let count = Count()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Closer(resets: count.next() > 0))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return ClosingOrigin(channel: channel)
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }

    func stop() async throws {
        try await self.channel.close()
    }

    private final class Count: Sendable {
        private let value = Atomic<Int>(0)

        func next() -> Int { self.value.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    private final class Closer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let resets: Bool

        init(resets: Bool) {
            self.resets = resets
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard self.resets else {
                context.close(promise: nil)
                return
            }
            let channel = context.channel
            guard let options = channel as? any SocketOptionProvider else { return }
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
