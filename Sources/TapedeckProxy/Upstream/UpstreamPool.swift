import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// The connections to origins of one event loop: kept open between requests, and opened when there is none to spare.
/// A connection lives on the loop of the client it serves, so an exchange never hops.
final class UpstreamPool {
    /// The maximum number of idle connections, over all routes. 512. Fewer than there are busy clients would mean a new
    /// connection, with its handshake, for most requests.
    private static let idleLimit = 512

    private let context: ProxyContext
    private let dialer: UpstreamDialer
    private let eventLoop: any EventLoop
    /// All of them were made by ``settings``.
    private var idle: [UpstreamRoute: [UpstreamConnection]] = [:]
    /// The number of connections in ``idle``.
    private var idleCount = 0
    /// What holds; a connection that was made by other rules, or with other certificates, carries no further request.
    private var settings: ProxySettings

    init(context: ProxyContext, eventLoop: any EventLoop) {
        self.context = context
        self.dialer = UpstreamDialer(context: context)
        self.eventLoop = eventLoop
        self.settings = context.current
    }

    /// A connection to `origin` that is used for nothing else.
    ///
    /// Fails with an ``UpstreamFailure``, with ``OwnAddressReached`` where the origin turns out to be this program, or with
    /// a `TargetRefusal`.
    ///
    /// - Parameters:
    ///   - session: whom a new connection is counted for.
    ///   - fresh: open a new one even if there is one to spare.
    ///   - tunnelled: lead a connection over a proxy through a tunnel, whatever the scheme.
    ///   - local: connect to loopback addresses of this machine only.
    func lease(
        _ origin: Origin,
        for session: Session,
        fresh: Bool = false,
        tunnelled: Bool = false,
        local: Bool = false
    ) -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        self.keepUp()
        let route: UpstreamRoute = local ? .local(origin) : self.dialer.route(to: origin, tunnelled: tunnelled)
        // A connection that leads to one origin was judged when it was made; one to a proxy leads to any.
        if !fresh, route.plainProxy == nil, let connection = self.spare(route) {
            return self.eventLoop.makeSucceededFuture(connection)
        }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let settings = self.settings
        return self.dialer.admit(origin, over: route, on: self.eventLoop).flatMap { targets in
            if !fresh, let connection = bound.value.spare(route) {
                return bound.eventLoop.makeSucceededFuture(connection)
            }
            if !route.isLocal { session.noteConnectionOpened() }
            return bound.value.open(route, to: targets, by: settings)
        }
    }

    /// Drops what was made before the configuration was replaced.
    private func keepUp() {
        let current = self.context.current
        guard current !== self.settings else { return }
        self.settings = current
        self.closeIdle()
    }

    /// An idle connection over `route`, if there is one.
    private func spare(_ route: UpstreamRoute) -> NIOLoopBound<UpstreamConnection>? {
        while let connection = self.idle[route]?.popLast() {
            self.idleCount -= 1
            if self.idle[route]?.isEmpty ?? false { self.idle[route] = nil }
            guard connection.isUsable else { continue }
            connection.wake()
            return NIOLoopBound(connection, eventLoop: self.eventLoop)
        }
        return nil
    }

    /// A connection to `origin` as a client's tunnel wants it: without TLS of ours, over a proxy where there is one, and
    /// never used again.
    ///
    /// It reads only when it is told to. What the origin says by itself is not lost if handlers are added in the same
    /// turn of the loop. Fails as ``lease(_:for:fresh:tunnelled:local:)`` does.
    ///
    /// - Parameter local: connect to loopback addresses of this machine only.
    func connect(to origin: Origin, for session: Session, local: Bool) -> EventLoopFuture<any Channel> {
        let route: UpstreamRoute = local ? .local(origin) : self.dialer.route(to: origin, tunnelled: true)
        let (dialer, loop) = (self.dialer, self.eventLoop)
        return dialer.admit(origin, over: route, on: loop).flatMap { targets in
            if !route.isLocal { session.noteConnectionOpened() }
            return dialer.connect(route, to: targets, on: loop)
        }
        .flatMapErrorThrowing { error in
            if error is OwnAddressReached || error is TargetRefusal { throw error }
            throw UpstreamFailure(connecting: error, host: origin.host)
        }
    }

    /// Takes back a connection whose exchange is over.
    func giveBack(_ connection: UpstreamConnection) {
        self.keepUp()
        guard connection.isUsable, connection.settings === self.settings, self.idleCount < Self.idleLimit else {
            connection.close()
            return
        }
        connection.sleep(for: self.context.configuration.idleTimeout)
        self.idle[connection.route, default: []].append(connection)
        self.idleCount += 1
    }

    func remove(_ connection: UpstreamConnection) {
        guard let index = self.idle[connection.route]?.firstIndex(where: { $0 === connection }) else { return }
        self.idle[connection.route]?.remove(at: index)
        if self.idle[connection.route]?.isEmpty ?? false { self.idle[connection.route] = nil }
        self.idleCount -= 1
    }

    func closeIdle() {
        let connections = self.idle.values.flatMap { $0 }
        self.idle = [:]
        self.idleCount = 0
        for connection in connections { connection.close() }
    }

    private func open(
        _ route: UpstreamRoute,
        to targets: [SocketAddress]?,
        by settings: ProxySettings
    ) -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        let loop = self.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let trust = route.tlsOrigin == nil ? nil : self.context.trust.context(on: loop).map(Optional.some)
        return (trust ?? loop.makeSucceededFuture(nil)).flatMap { trust in
            bound.value.dialer.connect(route, to: targets, on: loop).flatMap { channel in
                do {
                    return try bound.value.prepare(channel, route: route, trust: trust, by: settings)
                } catch {
                    return channel.close().flatMapThrowing { throw error }
                }
            }
        }
        .flatMapErrorThrowing { error in
            if error is OwnAddressReached { throw error }
            throw UpstreamFailure(connecting: error, host: route.host)
        }
    }

    /// Puts the handlers on a connected channel and waits for its TLS handshake.
    private func prepare(
        _ channel: any Channel,
        route: UpstreamRoute,
        trust: TLSClientContext?,
        by settings: ProxySettings
    ) throws -> EventLoopFuture<NIOLoopBound<UpstreamConnection>> {
        let tls: TLSHandler? =
            if let origin = route.tlsOrigin, let trust {
                try TLSHandler.client(
                    context: trust,
                    host: origin.host,
                    verifiesPeer: self.context.trust.verifies(origin.host),
                    certificate: self.context.trust.certificate(for: origin)
                )
            } else {
                nil
            }
        let ready = self.eventLoop.makePromise(of: Void.self)
        let connection = UpstreamConnection(
            route: route,
            settings: settings,
            pool: self,
            readTimeout: self.context.configuration.readTimeout,
            handshake: tls == nil ? nil : ready
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
