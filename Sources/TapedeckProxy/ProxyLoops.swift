import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// Where the requests of a listener's connections belong.
struct ListenerContext: Sendable {
    /// The session of requests that name none; `nil` is the default one, if the deck has one.
    var session: Session?
    /// The origin of requests that name none of their own.
    var reverseOrigin: Origin?
    /// Set where clients believe that they talk to the origin itself.
    var transparent: TransparentPort?
    /// Set where the addresses that clients connect to stand for hosts.
    var names: NameTable?
}

/// The event loops of a proxy, each with what its connections share, whichever listener they came through.
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

    /// Lets what is in flight finish for at most `grace`, then closes what is left.
    func stop(grace: TimeAmount) async {
        let loops = self.loops.compactMap { loop in
            self.contexts[ObjectIdentifier(loop)].map { (eventLoop: loop, context: $0) }
        }
        let drained = loops.map { loop in
            loop.eventLoop.flatSubmit { loop.context.value.drain() }
        }
        // One deadline for all loops, whichever of them is the last to be done.
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
