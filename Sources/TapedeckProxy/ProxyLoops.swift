import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// The context of a listener's requests.
struct ListenerContext: Sendable {
    /// The session of requests that name none; `nil` is the default one, if the deck has one.
    var session: Session?
    /// The origin of requests that name none.
    var reverseOrigin: Origin?
    /// Set where clients believe that they talk to the origin itself.
    var transparent: TransparentPort?
    /// Set if the addresses that clients connect to identify hosts.
    var names: NameTable?
}

/// The event loops of a proxy, each with the data that its connections share, for all listeners.
final class ProxyLoops: Sendable {
    private let deck: ProxyContext
    let group: any EventLoopGroup
    private let loops: [any EventLoop]
    private let contexts: [ObjectIdentifier: NIOLoopBound<LoopContext>]

    init(_ deck: ProxyContext, group: any EventLoopGroup) async throws {
        self.deck = deck
        self.group = group
        var loops: [any EventLoop] = []
        var contexts: [ObjectIdentifier: NIOLoopBound<LoopContext>] = [:]
        for eventLoop in group.makeIterator() {
            loops.append(eventLoop)
            contexts[ObjectIdentifier(eventLoop)] = try await eventLoop.submit {
                NIOLoopBound(LoopContext(context: deck, eventLoop: eventLoop), eventLoop: eventLoop)
            }.get()
        }
        self.loops = loops
        self.contexts = contexts
    }

    /// Listens; port 0 takes a free one.
    ///
    /// - Throws: the `IOError` of binding, such as `EADDRINUSE`.
    func bind(host: String, port: Int, _ doorway: ListenerContext) async throws -> any Channel {
        try await self.bootstrap(doorway).bind(host: host, port: port).get()
    }

    /// Returns what makes a listener whose connections are clients'.
    func bootstrap(_ doorway: ListenerContext) -> ServerBootstrap {
        ServerBootstrap(group: self.group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [deck, contexts] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = contexts[ObjectIdentifier(channel.eventLoop)] else { return }
                    let connection = ClientConnection(deck: deck, loop: loop.value, doorway: doorway, route: .proxy)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    /// Lets requests in flight finish for at most `grace`, then closes all connections.
    func stop(grace: TimeAmount) async {
        let loops = self.loops.compactMap { loop in
            self.contexts[ObjectIdentifier(loop)].map { (eventLoop: loop, context: $0) }
        }
        let drained = loops.map { loop in
            loop.eventLoop.flatSubmit { loop.context.value.drain() }
        }
        // One deadline for all loops.
        let deadline = NIODeadline.now() + grace
        let deadlines = loops.map { loop in
            loop.eventLoop.scheduleTask(deadline: deadline) { loop.context.value.closeAll() }
        }
        for future in drained { try? await future.get() }
        for deadline in deadlines { deadline.cancel() }
        for loop in loops {
            try? await loop.eventLoop.submit { loop.context.value.closeAll() }.get()
        }
    }
}
