import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckPlatform
import TapedeckSessions
import TapedeckTLS

/// Opens connections to origins: chooses the route, resolves, connects, and has a proxy lead on. The only place in
/// Tapedeck that does so.
struct UpstreamDialer: Sendable {
    let context: ProxyContext

    /// - Parameter tunnelled: a proxy is to give a tunnel even to an `http` origin.
    func route(to origin: Origin, tunnelled: Bool = false) -> UpstreamRoute {
        let proxies = self.context.configuration.upstreamProxies
        guard !proxies.isEmpty else { return .direct(origin) }
        let addresses = self.context.configuration.addressOverrides.addresses(host: origin.host, port: origin.port)
        guard let proxy = proxies.proxy(for: origin, addresses: addresses ?? []) else { return .direct(origin) }
        // A shell that leads all its programs here leads this one to itself.
        if proxies.isInherited, self.context.own.isNamed(by: proxy.origin) { return .direct(origin) }
        // A proxy gets the address only for a tunnel.
        return origin.scheme == .http && !tunnelled && addresses == nil ? .plain(proxy) : .tunnel(proxy, origin)
    }

    /// Opens a connection over `route` without TLS to the origin itself, which reads only on request.
    ///
    /// Counts itself. Fails with the error of connecting, ``OwnAddressReached``, or an ``UpstreamFailure`` of a proxy.
    ///
    /// - Parameter targets: the addresses, as ``admit(_:over:on:)`` found them for the origin.
    func connect(
        _ route: UpstreamRoute,
        to targets: [SocketAddress]?,
        on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        // Connections to this machine are not upstream.
        guard !route.isLocal else { return self.open(route, to: targets, on: loop) }
        self.context.noteConnectionOpened()
        return self.open(route, to: targets, on: loop).flatMapErrorThrowing { error in
            self.context.noteConnectionFailed()
            throw error
        }
    }

    private func open(
        _ route: UpstreamRoute,
        to targets: [SocketAddress]?,
        on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        switch route {
        case .direct(let origin), .local(let origin):
            return self.dial(origin, at: targets, on: loop)
        case .plain(let proxy):
            return self.reach(proxy, on: loop, connecting: nil)
        case .tunnel(let proxy, let origin):
            return self.reach(proxy, on: loop, connecting: origin)
        }
    }

    /// - Parameter targets: the addresses to choose from; `nil` is those that an option gives the host, or all it has.
    private func dial(
        _ origin: Origin,
        at targets: [SocketAddress]? = nil,
        on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let own = self.context.own
        let overrides = self.context.configuration.addressOverrides.addresses(host: origin.host, port: origin.port)
        let addresses =
            targets ?? overrides?.compactMap { try? SocketAddress(ipAddress: $0.description, port: origin.port) }
        // Connecting races IPv6 against IPv4 (RFC 8305).
        return ClientBootstrap(group: loop)
            .resolver(addresses.map { FixedResolver(addresses: $0, eventLoop: loop) })
            .connectTimeout(self.context.configuration.connectTimeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .keepingAlive()
            .connect(host: origin.host, port: origin.port)
            .flatMap { channel in
                // Before a byte is sent: it may lead back to this program, under any name.
                guard own.isReached(remote: channel.remoteAddress, local: channel.localAddress) else {
                    self.context.metrics.noteUpstream(channel)
                    return loop.makeSucceededFuture(channel)
                }
                return channel.close().flatMapThrowing { throw OwnAddressReached() }
            }
    }

    // MARK: Proxies

    /// A connection to `proxy`, led on to `origin` if there is one.
    private func reach(
        _ proxy: UpstreamProxy,
        on loop: any EventLoop,
        connecting origin: Origin?
    ) -> EventLoopFuture<any Channel> {
        let trust = proxy.origin.scheme == .https ? self.context.trust.context(on: loop).map(Optional.some) : nil
        return (trust ?? loop.makeSucceededFuture(nil)).flatMap { trust in
            self.dial(proxy.origin, on: loop).flatMap { channel in
                do {
                    return try self.shake(hands: proxy, trust, on: channel, connecting: origin).map { channel }
                        .flatMapError { error in channel.close().flatMapThrowing { throw error } }
                } catch {
                    return channel.close().flatMapThrowing { throw error }
                }
            }
        }
        .flatMapErrorThrowing { throw UpstreamFailure(reaching: proxy, $0) }
    }

    private func shake(
        hands proxy: UpstreamProxy,
        _ trust: TLSClientContext?,
        on channel: any Channel,
        connecting origin: Origin?
    ) throws -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        guard trust != nil || origin != nil else { return loop.makeSucceededVoidFuture() }
        let done = loop.makePromise(of: Void.self)
        let handshake = ProxyHandshake(
            proxy,
            connecting: origin,
            authority: origin.map(self.tunnelAuthority),
            waitsForTLS: trust != nil,
            done: done
        )
        let timeout = loop.scheduleTask(in: self.context.configuration.connectTimeout) {
            done.fail(UpstreamFailure(fault: .timeout, detail: "it did not answer in time"))
        }
        done.futureResult.whenComplete { _ in timeout.cancel() }
        do {
            if let trust {
                let tls = try TLSHandler.client(
                    context: trust,
                    host: proxy.origin.host,
                    verifiesPeer: self.context.trust.verifies(proxy.origin.host),
                    certificate: self.context.trust.certificate(for: proxy.origin)
                )
                try channel.pipeline.syncOperations.addHandlers([tls, handshake])
            } else {
                try channel.pipeline.syncOperations.addHandler(handshake)
            }
        } catch {
            done.fail(error)
        }
        return done.futureResult
    }

    /// The target of a proxy's tunnel: the first address that an option gives the host, else its name, which the proxy
    /// resolves.
    private func tunnelAuthority(_ origin: Origin) -> String {
        let addresses = self.context.configuration.addressOverrides.addresses(host: origin.host, port: origin.port)
        let host = Origin(scheme: .https, host: addresses?.first?.description ?? origin.host).bracketedHost
        return "\(host):\(origin.port)"
    }
}

/// Returns known addresses, without a look-up.
private struct FixedResolver: Resolver, Sendable {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.answer(.inet)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.answer(.inet6)
    }

    func cancelQueries() {}

    private func answer(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        self.eventLoop.makeSucceededFuture(self.addresses.filter { $0.protocol == family })
    }
}

extension ClientBootstrap {
    /// A peer that is gone without a word is noticed after two minutes of silence, however long an answer may take.
    fileprivate func keepingAlive() -> ClientBootstrap {
        let probing = self.channelOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
        return
            probing
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
        #else
        return probing
        #endif
    }
}
