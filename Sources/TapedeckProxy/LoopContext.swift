import NIOCore
import TapedeckCore
import TapedeckSessions

/// A connection of a client, as the loop knows it.
protocol ClientSideConnection: AnyObject {
    /// Finishes the current requests, then closes.
    func stop()
    /// Closes, finished or not.
    func abort()
}

/// The state that the connections of one event loop share. Never leaves that loop, so nothing in it is locked.
final class LoopContext {
    let eventLoop: any EventLoop
    let upstreams: UpstreamPool
    let flushes: TurnFlushes
    let metrics: LoopMetrics
    private let players: ResponseCache
    private var connections: [ObjectIdentifier: any ClientSideConnection] = [:]
    /// Set once the proxy is stopping: succeeds when the last connection is gone.
    private var drained: EventLoopPromise<Void>?

    init(context: ProxyContext, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.flushes = TurnFlushes(eventLoop: eventLoop)
        self.upstreams = UpstreamPool(context: context, eventLoop: eventLoop, flushes: self.flushes)
        self.metrics = context.metrics.makeLoop()
        self.players = ResponseCache(
            threadPool: context.threadPool,
            eventLoop: eventLoop,
            secrets: context.configuration.secrets
        )
    }

    func player(for tape: Tape) -> TakePlayer {
        self.players.player(for: tape)
    }

    var isStopping: Bool { self.drained != nil }

    func add(_ connection: any ClientSideConnection) {
        self.connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: any ClientSideConnection) {
        self.connections[ObjectIdentifier(connection)] = nil
        if self.connections.isEmpty { self.drained?.succeed() }
    }

    /// Lets requests in flight finish, and closes idle connections.
    func drain() -> EventLoopFuture<Void> {
        let drained = self.drained ?? self.eventLoop.makePromise(of: Void.self)
        self.drained = drained
        if self.connections.isEmpty {
            drained.succeed()
        } else {
            for connection in self.connections.values { connection.stop() }
        }
        return drained.futureResult
    }

    /// Closes everything, finished or not.
    func closeAll() {
        for connection in self.connections.values { connection.abort() }
        self.upstreams.closeIdle()
        self.drained?.succeed()
    }
}

@available(*, unavailable)
extension LoopContext: Sendable {}
