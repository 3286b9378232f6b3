package import Logging
import NIOCore
package import NIOPosix
import Synchronization
import TapedeckCore
package import TapedeckTLS

/// What all connections of a proxy share. Immutable but for its counters.
package final class ProxyContext: Sendable {
    package let configuration: ProxyConfiguration
    package let sessions: SessionDirectory
    private let leaves: LeafCache
    /// Made at the first tunnel, since it takes milliseconds that a run without TLS need not wait for.
    private let interceptionContext = Mutex<TLSServerContext?>(nil)
    /// Certificates that origins are verified against.
    let trust: UpstreamTrust
    let threadPool: NIOThreadPool
    let log: Logger
    /// Whether each answer off the tape is worth a line; asked once, as the level of a logger stays what it is.
    let logsAnswers: Bool
    /// Connections opened to origins so far: 0 in `replay`, always.
    private let opened = Atomic<Int>(0)
    /// The ports this proxy listens on: a request for one of them would come back to it for ever.
    private let ownPorts = Mutex<Set<Int>>([])

    package init(
        configuration: ProxyConfiguration,
        sessions: SessionDirectory,
        leaves: LeafCache,
        threadPool: NIOThreadPool,
        log: Logger
    ) {
        self.configuration = configuration
        self.sessions = sessions
        self.leaves = leaves
        self.trust = UpstreamTrust(configuration: configuration, threadPool: threadPool)
        self.threadPool = threadPool
        self.log = log
        self.logsAnswers = log.logLevel <= .debug
    }

    /// The server side of interception.
    func interception() throws -> TLSServerContext {
        try self.interceptionContext.withLock { context in
            if let context { return context }
            let made = try TLSServerContext(leaves: self.leaves)
            context = made
            return made
        }
    }

    package var connectionsOpened: Int { self.opened.load(ordering: .relaxed) }

    func noteConnectionOpened() {
        self.opened.wrappingAdd(1, ordering: .relaxed)
    }

    func noteOwnPort(_ port: Int) {
        _ = self.ownPorts.withLock { $0.insert(port) }
    }

    /// Whether `origin` is this proxy itself.
    func isOwn(_ origin: Origin) -> Bool {
        let isLoopback =
            origin.host == "localhost" || origin.host == "::1" || origin.host == "0.0.0.0"
            || origin.host == "::" || origin.host.hasPrefix("127.")
        return isLoopback && self.ownPorts.withLock { $0.contains(origin.port) }
    }
}

/// What the connections of one event loop share. Never leaves that loop, so nothing in it is locked.
final class LoopContext {
    let eventLoop: any EventLoop
    let upstreams: UpstreamPool
    private let threadPool: NIOThreadPool
    /// By the serial number of their tape; the one that was asked for last stands apart.
    private var players: [Int: TakePlayer] = [:]
    private var lastPlayer: TakePlayer?
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    /// Set once the proxy is stopping: succeeds when the last connection is gone.
    private var drained: EventLoopPromise<Void>?

    init(context: ProxyContext, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.upstreams = UpstreamPool(context: context, eventLoop: eventLoop)
        self.threadPool = context.threadPool
    }

    /// Players that are kept; sessions with tapes of their own may need many.
    private static let playerLimit = 32

    /// The player of a tape.
    func player(for tape: Tape) -> TakePlayer {
        if let last = self.lastPlayer, last.tape === tape { return last }
        if let found = self.players[tape.serial] {
            self.lastPlayer = found
            return found
        }
        if self.players.count >= Self.playerLimit { self.players.removeAll() }
        let made = TakePlayer(tape: tape, threadPool: self.threadPool, eventLoop: self.eventLoop)
        self.players[tape.serial] = made
        self.lastPlayer = made
        return made
    }

    var isStopping: Bool { self.drained != nil }

    func add(_ connection: ClientConnection) {
        self.connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: ClientConnection) {
        self.connections[ObjectIdentifier(connection)] = nil
        if self.connections.isEmpty { self.drained?.succeed() }
    }

    /// Lets what is in flight finish and closes what is idle.
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
