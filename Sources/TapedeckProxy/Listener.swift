package import NIOCore
import NIOPosix
import TapedeckCore

/// The proxy's door: accepts clients, and lets them go again in good order.
package final class ProxyListener: Sendable {
    private let channel: any Channel
    private let loops: [(eventLoop: any EventLoop, context: NIOLoopBound<LoopContext>)]

    /// The address that clients can reach, with the port that was really taken.
    package let address: SocketAddress

    private init(channel: any Channel, address: SocketAddress, loops: [(any EventLoop, NIOLoopBound<LoopContext>)]) {
        self.channel = channel
        self.address = address
        self.loops = loops.map { (eventLoop: $0.0, context: $0.1) }
    }

    /// Listens on `host` and `port`; port 0 takes a free one.
    ///
    /// - Throws: the `IOError` of binding, such as `EADDRINUSE`.
    package static func start(
        host: String,
        port: Int,
        context deck: ProxyContext,
        group: any EventLoopGroup
    ) async throws -> ProxyListener {
        var loops: [(any EventLoop, NIOLoopBound<LoopContext>)] = []
        for eventLoop in group.makeIterator() {
            let bound = try await eventLoop.submit {
                NIOLoopBound(LoopContext(context: deck, eventLoop: eventLoop), eventLoop: eventLoop)
            }.get()
            loops.append((eventLoop, bound))
        }
        let contexts = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.0), $0.1) })
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = contexts[ObjectIdentifier(channel.eventLoop)],
                        let session = deck.sessions.default
                    else { return }
                    let connection = ClientConnection(deck: deck, loop: loop.value, session: session, route: .proxy)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .bind(host: host, port: port)
            .get()
        guard let address = channel.localAddress, let port = address.port else {
            try await channel.close()
            throw ChannelError.unknownLocalAddress
        }
        deck.noteOwnPort(port)
        return ProxyListener(channel: channel, address: address, loops: loops)
    }

    /// Takes no more clients, lets what is in flight finish for at most `grace`, then closes what is left.
    package func stop(grace: TimeAmount) async {
        try? await self.channel.close()
        let drained = self.loops.map { loop in
            loop.eventLoop.flatSubmit { loop.context.value.drain() }
        }
        // One deadline for all loops, whichever of them is the last to be done.
        let deadline = NIODeadline.now() + grace
        let deadlines = self.loops.map { loop in
            loop.eventLoop.scheduleTask(deadline: deadline) { loop.context.value.closeAll() }
        }
        for future in drained { try? await future.get() }
        for deadline in deadlines { deadline.cancel() }
        for loop in self.loops {
            try? await loop.eventLoop.submit { loop.context.value.closeAll() }.get()
        }
    }
}
