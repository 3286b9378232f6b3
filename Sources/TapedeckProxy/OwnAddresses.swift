import NIOCore
import TapedeckCore
import TapedeckLocking

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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

    /// Whether an origin names one of them: by an address in any spelling that resolvers take, or as `localhost`. What
    /// another name stands for shows only when it was connected to; see ``isReached(remote:local:)``.
    func isNamed(by origin: Origin) -> Bool {
        let targets = IPAddress.spelled(origin.host)
        guard !targets.isEmpty else { return false }
        return self.bound.withLock { bound in
            bound.contains { own in own.port == origin.port && targets.contains { own.ip.takes($0) } }
        }
    }

    /// Whether a connection between these two leads to one of them.
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
    var ip: IPAddress
    var port: Int

    /// `nil` for what is no address of the internet protocol.
    init?(_ address: SocketAddress) {
        guard let port = address.port, let ip = address.ipAddress.flatMap(IPAddress.init(literal:)) else { return nil }
        self.ip = ip
        self.port = port
    }
}

/// An IPv4 or IPv6 address; one that maps IPv4 into IPv6 (RFC 4291 section 2.5.5.2) is the former.
private struct IPAddress: Hashable, Sendable {
    private static let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let loopback4 = IPAddress([127, 0, 0, 1])
    private static let loopback6 = IPAddress(Array(repeating: 0, count: 15) + [1])

    private var bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapping) ? Array(bytes.suffix(4)) : bytes
    }

    /// An address as it is usually written.
    init?(literal text: String) {
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// What a host stands for without asking anybody: an address in one of its spellings (`127.0.0.1`, `127.1`,
    /// `2130706433`, `0x7f.1`, `::ffff:127.0.0.1`), or a name that always means this machine (RFC 6761 section 6.3).
    static func spelled(_ host: String) -> [IPAddress] {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return [self.loopback4, self.loopback6] }
        let old = withUnsafeTemporaryAllocation(of: in_addr.self, capacity: 1) { address -> IPAddress? in
            guard let pointer = address.baseAddress, inet_aton(name, pointer) != 0 else { return nil }
            return IPAddress(UnsafeRawBufferPointer(address))
        }
        return (old ?? IPAddress(literal: name)).map { [$0] } ?? []
    }

    /// Bound to it, a socket has every address of the machine.
    var isUnspecified: Bool { self.bytes.allSatisfy { $0 == 0 } }

    private var isLoopback: Bool { self.bytes.count == 4 ? self.bytes[0] == 127 : self == Self.loopback6 }

    /// Whether a socket bound here takes connections to `target`. Those to the unspecified address go to this machine.
    func takes(_ target: IPAddress) -> Bool {
        self == target
            || self.isUnspecified && (target.isLoopback || target.isUnspecified)
            || self.isLoopback && target.isUnspecified
    }
}
