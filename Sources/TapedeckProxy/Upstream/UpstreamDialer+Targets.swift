import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// Decides if a connection may be made, and to which addresses. All connections are checked here.
extension UpstreamDialer {
    /// Returns the permitted addresses for a connection to `origin`. `nil` leaves them to the connector.
    ///
    /// A name is looked up once, here, and the connection must use the result: another look-up could find something
    /// else (DNS rebinding). A proxy finds addresses itself, so for it the look-up can only refuse names without a
    /// public address here; names that are unknown here are left to the proxy.
    ///
    /// Fails with a `TargetRefusal`, or an ``UpstreamFailure`` if there are no addresses.
    func admit(
        _ origin: Origin,
        over route: UpstreamRoute,
        on loop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]?> {
        if route.isLocal { return self.loopback(origin, on: loop) }
        let rules = self.context.configuration.targets
        let isForProxy = route.isOverProxy
        do {
            switch try rules.find(origin, forProxy: isForProxy) {
            case .free:
                return loop.makeSucceededFuture(nil)
            case .addresses(let addresses):
                let targets = try addresses.map { try SocketAddress(ipAddress: $0.description, port: origin.port) }
                return loop.makeSucceededFuture(targets)
            case .unknown:
                return self.lookUp(origin, on: loop).flatMapThrowing { found in
                    try rules.permitted(found, of: origin) { $0.ipAddress.flatMap { NetworkAddress($0) } }
                }
                .flatMapErrorThrowing { error -> [SocketAddress]? in
                    guard isForProxy, !(error is TargetRefusal) else { throw error }
                    return nil
                }
            }
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    /// Returns the loopback addresses of a host; no resolver is used, and no option changes them.
    private func loopback(_ origin: Origin, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]?> {
        let targets = NetworkAddress.loopback(origin.host).compactMap {
            try? SocketAddress(ipAddress: $0.description, port: origin.port)
        }
        guard !targets.isEmpty else { return loop.makeFailedFuture(TargetRefusal(origin, .thisMachine)) }
        return loop.makeSucceededFuture(targets)
    }

    /// At least one address, before connecting would have taken too long.
    private func lookUp(_ origin: Origin, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let configuration = self.context.configuration
        let found = loop.makePromise(of: [SocketAddress].self)
        let timeout = loop.scheduleTask(in: configuration.connectTimeout) {
            found.fail(UpstreamFailure(fault: .timeout, detail: "looking up \(origin.host) took too long"))
        }
        let deadline = NIODeadline.now() + configuration.connectTimeout
        HostLookup.threads.runIfActive(eventLoop: loop) {
            // The waiter's time may be over.
            NIODeadline.now() < deadline ? configuration.lookUp(origin.host, origin.port) : []
        }
        .whenComplete { result in
            timeout.cancel()
            guard case .success(let addresses) = result, !addresses.isEmpty else {
                found.fail(UpstreamFailure(fault: .nameNotResolved, detail: "\(origin.host) has no address"))
                return
            }
            found.succeed(addresses)
        }
        return found.futureResult
    }
}
