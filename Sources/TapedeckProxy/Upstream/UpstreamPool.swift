import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// The connections to origins of one event loop: kept open between requests, and opened when no idle one fits. A
/// connection stays on the loop of the client it serves, so an exchange never changes threads.
final class UpstreamPool {
    /// The maximum number of idle connections, over all routes. 512. Fewer than there are busy clients would mean a new
    /// connection, with its handshake, for most requests.
    private static let idleLimit = 512

    private let context: ProxyContext
    private let dialer: UpstreamDialer
    private let eventLoop: any EventLoop
    private let flushes: TurnFlushes
    /// All of them were made by ``settings``.
    private var idle: [UpstreamRoute: [UpstreamConnection]] = [:]
    /// Connections over HTTP/2, which carry many requests at a time.
    private var shared: [HTTP2OriginConnection.Key: HTTP2OriginConnection] = [:]
    /// Those that are being opened, for a way on which an origin has spoken HTTP/2 before.
    private var opening: [HTTP2OriginConnection.Key: EventLoopFuture<NIOLoopBound<any OriginStream>>] = [:]
    /// The ways on which origins have spoken HTTP/2.
    private var http2Routes: Set<UpstreamRoute> = []
    /// The connections that are being opened, and the requests that wait until fewer are.
    private var dials: [HTTP2OriginConnection.Key: Dials] = [:]
    /// The number of connections in ``idle``.
    private var idleCount = 0
    /// The connections of one key that are being opened.
    private struct Dials {
        var count = 0
        var waiting = CircularBuffer<EventLoopPromise<Void>>()
    }

    /// The maximum number of connections of one key that are being opened at a time. 100. A client that cancels requests as
    /// fast as it sends them would have a connection opened for each.
    private static let dialLimit = 100

    /// The current settings; a connection made with other rules, or other certificates, carries no further request.
    private var settings: ProxySettings

    init(context: ProxyContext, eventLoop: any EventLoop, flushes: TurnFlushes) {
        self.flushes = flushes
        self.context = context
        self.dialer = UpstreamDialer(context: context)
        self.eventLoop = eventLoop
        self.settings = context.current
    }

    /// Leases a stream for one request to `origin`: an exclusive connection, or a stream of one over HTTP/2.
    ///
    /// Fails with an ``UpstreamFailure``, with ``OwnAddressReached`` if the origin turns out to be this program, or
    /// with a `TargetRefusal`.
    ///
    /// - Parameters:
    ///   - session: the session that a new connection counts for.
    ///   - fresh: true to open a new one even if an idle one fits.
    ///   - tunnelled: true to use a tunnel over a proxy for every scheme.
    ///   - local: true to connect to loopback addresses of this machine only.
    ///   - version: the versions of HTTP that the origin may choose from.
    func lease(
        _ origin: Origin,
        for session: Session,
        fresh: Bool = false,
        tunnelled: Bool = false,
        local: Bool = false,
        version: UpstreamVersion = .http1
    ) -> EventLoopFuture<NIOLoopBound<any OriginStream>> {
        self.keepUp()
        let tunnelled = tunnelled || version == .http2
        let route: UpstreamRoute = local ? .local(origin) : self.dialer.route(to: origin, tunnelled: tunnelled)
        let key = HTTP2OriginConnection.Key(route: route, session: session.id)
        if version != .http1 {
            if !fresh, let connection = self.shared[key], connection.takesRequests {
                return self.stream(on: connection)
            }
            if !fresh, let next = self.opening[key]?.map({ _ in }) ?? self.shared[key]?.turn() {
                let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
                return next.flatMap {
                    let pool = bound.value
                    return pool.lease(
                        origin,
                        for: session,
                        fresh: pool.shared[key] == nil && pool.opening[key] == nil,
                        tunnelled: tunnelled,
                        local: local,
                        version: version
                    )
                }
            }
        }
        // A connection to one origin was checked when it was made; one to a proxy leads to any.
        if !fresh, version != .http2, route.plainProxy == nil, let connection = self.spare(route, version) {
            return self.eventLoop.makeSucceededFuture(connection)
        }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let settings = self.settings
        let opened = self.turnToDial(key).flatMap {
            bound.value.dialer.admit(origin, over: route, on: bound.eventLoop)
        }.flatMap { targets in
            if !fresh, version != .http2, let connection = bound.value.spare(route, version) {
                return bound.eventLoop.makeSucceededFuture(connection)
            }
            if !route.isLocal { session.noteConnectionOpened() }
            return bound.value.open(key, to: targets, by: settings, version)
        }
        opened.assumeIsolated().whenComplete { _ in self.endDial(key) }
        if version == .http2 || version == .either && self.http2Routes.contains(route) {
            self.opening[key] = opened
            opened.assumeIsolated().whenComplete { _ in self.opening[key] = nil }
        }
        return opened
    }

    private func turnToDial(_ key: HTTP2OriginConnection.Key) -> EventLoopFuture<Void> {
        guard self.dials[key, default: Dials()].count >= Self.dialLimit else {
            self.dials[key, default: Dials()].count += 1
            return self.eventLoop.makeSucceededVoidFuture()
        }
        let turn = self.eventLoop.makePromise(of: Void.self)
        self.dials[key]?.waiting.append(turn)
        return turn.futureResult
    }

    private func endDial(_ key: HTTP2OriginConnection.Key) {
        if let next = self.dials[key]?.waiting.popFirst() {
            next.succeed()
        } else {
            self.dials[key]?.count -= 1
            if self.dials[key]?.count == 0 { self.dials[key] = nil }
        }
    }

    private func stream(on connection: HTTP2OriginConnection) -> EventLoopFuture<NIOLoopBound<any OriginStream>> {
        self.eventLoop.makeSucceededFuture(NIOLoopBound(connection.makeStream(), eventLoop: self.eventLoop))
    }

    /// Drops what was made before the configuration was replaced.
    private func keepUp() {
        let current = self.context.current
        guard current !== self.settings else { return }
        self.settings = current
        self.closeIdle()
    }

    /// An idle connection over `route`, if there is one. Where the origin may choose HTTP/2, it must have had that choice.
    private func spare(_ route: UpstreamRoute, _ version: UpstreamVersion) -> NIOLoopBound<any OriginStream>? {
        while let index = self.idle[route]?.lastIndex(where: { version == .http1 || $0.offeredHTTP2 }),
            let connection = self.idle[route]?.remove(at: index)
        {
            self.idleCount -= 1
            if self.idle[route]?.isEmpty ?? false { self.idle[route] = nil }
            guard connection.isUsable else { continue }
            connection.wake()
            return NIOLoopBound(connection as any OriginStream, eventLoop: self.eventLoop)
        }
        return nil
    }

    /// Opens a connection to `origin` for a client's tunnel: without our TLS, over a proxy if there is one, and never
    /// reused.
    ///
    /// It reads only on request. Bytes that the origin sends first are not lost if handlers are added in the same turn
    /// of the loop. Fails as ``lease(_:for:fresh:tunnelled:local:)`` does.
    ///
    /// - Parameter local: true to connect to loopback addresses of this machine only.
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

    /// Returns a connection whose exchange has ended to the pool.
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

    /// Sends no further requests over a connection with HTTP/2.
    func remove(_ connection: HTTP2OriginConnection) {
        if self.shared[connection.key] === connection { self.shared[connection.key] = nil }
    }

    func closeIdle() {
        let shared = self.shared.values
        self.shared = [:]
        for connection in shared { connection.retire() }
        let connections = self.idle.values.flatMap { $0 }
        self.idle = [:]
        self.idleCount = 0
        for connection in connections { connection.close() }
    }

    private func open(
        _ key: HTTP2OriginConnection.Key,
        to targets: [SocketAddress]?,
        by settings: ProxySettings,
        _ version: UpstreamVersion
    ) -> EventLoopFuture<NIOLoopBound<any OriginStream>> {
        let route = key.route
        let loop = self.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let trust = route.tlsOrigin == nil ? nil : self.context.trust.context(on: loop).map(Optional.some)
        return (trust ?? loop.makeSucceededFuture(nil)).flatMap { trust in
            bound.value.dialer.connect(route, to: targets, on: loop).flatMap { channel in
                do {
                    return try bound.value.prepare(channel, key, trust: trust, by: settings, version)
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
        _ key: HTTP2OriginConnection.Key,
        trust: TLSClientContext?,
        by settings: ProxySettings,
        _ version: UpstreamVersion
    ) throws -> EventLoopFuture<NIOLoopBound<any OriginStream>> {
        guard let origin = key.route.tlsOrigin, let trust else {
            guard version != .http2 else {
                return self.stream(on: try self.share(key, by: settings, on: channel))
            }
            let connection = self.connection(key.route, by: settings, handshake: nil, offeredHTTP2: true)
            try channel.pipeline.syncOperations.addHandler(connection)
            return self.eventLoop.makeSucceededFuture(NIOLoopBound(connection, eventLoop: self.eventLoop))
        }
        let tls = try TLSHandler.client(
            context: trust,
            host: origin.host,
            verifiesPeer: self.context.trust.verifies(origin.host),
            certificate: self.context.trust.certificate(for: origin),
            http2: version != .http1
        )
        let ready = self.eventLoop.makePromise(of: Void.self)
        let connection = self.connection(key.route, by: settings, handshake: ready, offeredHTTP2: version != .http1)
        let timeout = self.eventLoop.scheduleTask(in: self.context.configuration.connectTimeout) {
            ready.fail(UpstreamFailure(fault: .timeout, detail: "the TLS handshake took too long"))
            channel.close(promise: nil)
        }
        ready.futureResult.whenComplete { _ in timeout.cancel() }
        try channel.pipeline.syncOperations.addHandlers([tls, connection])
        let bound = NIOLoopBound((self, tls, connection), eventLoop: self.eventLoop)
        return ready.futureResult.flatMap {
            let (pool, tls, connection) = bound.value
            guard tls.handshake?.applicationProtocol == "h2" else {
                return bound.eventLoop.makeSucceededFuture(NIOLoopBound(connection, eventLoop: bound.eventLoop))
            }
            do {
                pool.http2Routes.insert(key.route)
                channel.pipeline.syncOperations.removeHandler(connection, promise: nil)
                return pool.stream(on: try pool.share(key, by: settings, on: channel))
            } catch {
                return bound.eventLoop.makeFailedFuture(error)
            }
        }
    }

    private func connection(
        _ route: UpstreamRoute,
        by settings: ProxySettings,
        handshake: EventLoopPromise<Void>?,
        offeredHTTP2: Bool
    ) -> UpstreamConnection {
        UpstreamConnection(
            route: route,
            settings: settings,
            pool: self,
            flushes: self.flushes,
            readTimeout: self.context.configuration.readTimeout,
            isStrict: self.context.configuration.isStrictWithOrigins,
            handshake: handshake,
            offeredHTTP2: offeredHTTP2
        )
    }

    /// Shares an HTTP/2 connection among all requests with the same key. If several were opened at once, the first one
    /// is shared.
    private func share(
        _ key: HTTP2OriginConnection.Key,
        by settings: ProxySettings,
        on channel: any Channel
    ) throws -> HTTP2OriginConnection {
        if let other = self.shared[key], other.takesRequests, other.settings === settings {
            channel.close(promise: nil)
            return other
        }
        let connection = try HTTP2OriginConnection(
            key: key,
            settings: settings,
            pool: self,
            readTimeout: self.context.configuration.readTimeout,
            idleTimeout: self.context.configuration.idleTimeout
        )
        try channel.pipeline.syncOperations.addHandler(connection)
        if settings === self.settings { self.shared[key] = connection }
        return connection
    }
}

/// The versions of HTTP that an origin may choose from.
enum UpstreamVersion: Sendable {
    case http1
    /// HTTP/2 if the origin chooses it by ALPN (RFC 9113 section 3.2).
    case either
    /// Only HTTP/2, in cleartext by prior knowledge (RFC 9113 section 3.3).
    case http2
}

/// A connection led to this program itself, and was closed before anything was sent.
struct OwnAddressReached: Error {}

@available(*, unavailable)
extension UpstreamPool: Sendable {}
