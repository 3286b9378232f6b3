import NIOCore
import TapedeckCore
import TapedeckLocking

/// The addresses that this program listens on itself: what is forwarded there would come back for ever, or steer the
/// deck through its own proxy.
final class OwnAddresses: Sendable {
    private let bound = Locked<Set<BoundAddress>>([])

    func add(_ address: SocketAddress) {
        guard let address = BoundAddress(address) else { return }
        self.bound.withLock { _ = $0.insert(address) }
    }

    func remove(_ address: SocketAddress) {
        guard let address = BoundAddress(address) else { return }
        self.bound.withLock { _ = $0.remove(address) }
    }

    /// Returns true if an origin names one of them: by an address in any spelling of resolvers, or as `localhost`.
    /// Other names are recognised only once connected; see ``isReached(remote:local:)``.
    func isNamed(by origin: Origin) -> Bool {
        let targets = NetworkAddress.spelled(origin.host)
        guard !targets.isEmpty else { return false }
        return self.bound.withLock { bound in
            bound.contains { own in own.port == origin.port && targets.contains { own.ip.takes($0) } }
        }
    }

    /// Returns true if a connection between these two leads to one of the addresses.
    func isReached(remote: SocketAddress?, local: SocketAddress?) -> Bool {
        guard let remote = remote.flatMap(BoundAddress.init) else { return false }
        let isHere = local.flatMap(BoundAddress.init)?.ip == remote.ip
        return self.bound.withLock { bound in
            bound.contains { own in
                own.port == remote.port && (own.ip.takes(remote.ip) || own.ip.isUnspecified && isHere)
            }
        }
    }
}

/// An address and a port.
private struct BoundAddress: Hashable, Sendable {
    var ip: NetworkAddress
    var port: Int

    /// Returns `nil` if it is not an IP address.
    init?(_ address: SocketAddress) {
        guard let port = address.port, let ip = address.ipAddress.flatMap({ NetworkAddress($0) }) else { return nil }
        self.ip = ip
        self.port = port
    }
}
