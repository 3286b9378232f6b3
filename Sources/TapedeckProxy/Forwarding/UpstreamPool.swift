import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckTLS

/// The connections to origins of one event loop: kept open between requests, and opened when there is none to spare.
/// A connection lives on the loop of the client it serves, so an exchange never hops.
final class UpstreamPool {
    /// Idle connections kept for each origin.
    private static let idleLimit = 16

    private let context: ProxyContext
    private let eventLoop: any EventLoop
    private var idle: [Origin: [UpstreamConnection]] = [:]

    init(context: ProxyContext, eventLoop: any EventLoop) {
        self.context = context
        self.eventLoop = eventLoop
    }

    /// A connection to `origin` that is used for nothing else.
    ///
    /// Fails with an ``UpstreamFailure``, or with ``OwnAddressReached`` where the origin turns out to be this program.
    ///
    /// - Parameters:
    ///   - session: whom a new connection is counted for.
    ///   - fresh: open a new one even if there is one to spare.
    func lease(
        _ origin: Origin,
        for session: Session,
        fresh: Bool = false
    ) -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        while !fresh, let connection = self.idle[origin]?.popLast() {
            guard connection.isUsable else { continue }
            connection.wake()
            return self.eventLoop.makeSucceededFuture(NIOLoopBound(connection, eventLoop: self.eventLoop))
        }
        session.noteConnectionOpened()
        return self.open(origin)
    }

    /// Takes back a connection whose exchange is over.
    func giveBack(_ connection: UpstreamConnection) {
        guard connection.isUsable, self.idle[connection.origin, default: []].count < Self.idleLimit else {
            connection.close()
            return
        }
        connection.sleep(for: self.context.configuration.idleTimeout)
        self.idle[connection.origin, default: []].append(connection)
    }

    func remove(_ connection: UpstreamConnection) {
        self.idle[connection.origin]?.removeAll { $0 === connection }
    }

    func closeIdle() {
        let connections = self.idle.values.flatMap { $0 }
        self.idle = [:]
        for connection in connections { connection.close() }
    }

    private func open(_ origin: Origin) -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        self.context.noteConnectionOpened()
        let timeout = self.context.configuration.connectTimeout
        let loop = self.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let trust = origin.scheme == .https ? self.context.trust.context(on: loop).map(Optional.some) : nil
        return (trust ?? loop.makeSucceededFuture(nil)).flatMap { trust in
            // Connecting races IPv6 against IPv4 (RFC 8305).
            ClientBootstrap(group: loop)
                .connectTimeout(timeout)
                .channelOption(.autoRead, value: false)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: origin.host, port: origin.port)
                .flatMap { channel in
                    do {
                        // Before a byte is sent: whatever its name, it may lead back to this program.
                        if bound.value.context.own.isReached(
                            remote: channel.remoteAddress,
                            local: channel.localAddress
                        ) {
                            throw OwnAddressReached()
                        }
                        return try bound.value.prepare(channel, origin: origin, trust: trust)
                    } catch {
                        return channel.close().flatMapThrowing { throw error }
                    }
                }
        }
        .flatMapErrorThrowing { error in
            if error is OwnAddressReached { throw error }
            throw UpstreamFailure(connecting: error, host: origin.host)
        }
    }

    /// Puts the handlers on a connected channel and waits for its TLS handshake.
    private func prepare(
        _ channel: any Channel,
        origin: Origin,
        trust: TLSClientContext?
    ) throws -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        let tls = try trust.map {
            try TLSHandler.client(
                context: $0,
                host: origin.host,
                verifiesPeer: self.context.trust.verifies(origin.host)
            )
        }
        let ready = self.eventLoop.makePromise(of: Void.self)
        let connection = UpstreamConnection(
            origin: origin,
            pool: self,
            readTimeout: self.context.configuration.readTimeout,
            handshake: trust == nil ? nil : ready
        )
        if let tls {
            let timeout = self.eventLoop.scheduleTask(in: self.context.configuration.connectTimeout) {
                ready.fail(UpstreamFailure(fault: .timeout, detail: "the TLS handshake took too long"))
                channel.close(promise: nil)
            }
            ready.futureResult.whenComplete { _ in timeout.cancel() }
            try channel.pipeline.syncOperations.addHandlers([tls, connection])
        } else {
            try channel.pipeline.syncOperations.addHandler(connection)
            ready.succeed()
        }
        let bound = NIOLoopBound(connection, eventLoop: self.eventLoop)
        return ready.futureResult.map { bound }
    }
}

/// A connection led to this program itself, and was closed before anything was sent.
struct OwnAddressReached: Error {}

@available(*, unavailable)
extension UpstreamPool: Sendable {}
