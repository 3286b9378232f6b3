#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An IPv4 or IPv6 address; one that maps IPv4 into IPv6 (RFC 4291 section 2.5.5.2) is the former.
package struct IPAddress: Hashable, Sendable {
    private static let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let loopback4 = IPAddress([127, 0, 0, 1])
    private static let loopback6 = IPAddress(Array(repeating: 0, count: 15) + [1])

    /// 4 or 16, the most significant first.
    let bytes: [UInt8]

    private init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapping) ? Array(bytes.suffix(4)) : bytes
    }

    /// An address as it is usually written.
    package init?(literal text: String) {
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
    package static func spelled(_ host: String) -> [IPAddress] {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return [self.loopback4, self.loopback6] }
        let old = withUnsafeTemporaryAllocation(of: in_addr.self, capacity: 1) { address -> IPAddress? in
            guard let pointer = address.baseAddress, inet_aton(name, pointer) != 0 else { return nil }
            return IPAddress(UnsafeRawBufferPointer(address))
        }
        return (old ?? IPAddress(literal: name)).map { [$0] } ?? []
    }

    /// Bound to it, a socket has every address of the machine.
    package var isUnspecified: Bool { self.bytes.allSatisfy { $0 == 0 } }

    /// Whether it always means this machine (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    package var isLoopback: Bool { self.bytes.count == 4 ? self.bytes[0] == 127 : self == Self.loopback6 }

    /// Whether a socket bound here takes connections to `target`. Those to the unspecified address go to this machine.
    package func takes(_ target: IPAddress) -> Bool {
        self == target
            || self.isUnspecified && (target.isLoopback || target.isUnspecified)
            || self.isLoopback && target.isUnspecified
    }
}
