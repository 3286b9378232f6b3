import TapedeckPlatform

/// An IPv4 or IPv6 address, as its bytes; one that maps IPv4 into IPv6 (RFC 4291 section 2.5.5.2) is the former.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    private static let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let loopback4 = NetworkAddress([127, 0, 0, 1])
    private static let loopback6 = NetworkAddress(Array(repeating: 0, count: 15) + [1])

    /// Four or sixteen of them, in network order.
    package let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapping) ? Array(bytes.suffix(4)) : bytes
    }

    /// An address as it is usually written; IPv6 with or without the brackets of a URL. `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if isBracketed { text = String(text.dropFirst().dropLast()) }
        var bytes = [UInt8](repeating: 0, count: 16)
        if !isBracketed, inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// Returns the addresses that a host means without a look-up: an address in one of its spellings (`127.0.0.1`,
    /// `127.1`, `2130706433`, `0x7f.1`, `::ffff:127.0.0.1`), or a name that always means this machine (RFC 6761 section
    /// 6.3).
    package static func spelled(_ host: String) -> [NetworkAddress] {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return [self.loopback4, self.loopback6] }
        let old = withUnsafeTemporaryAllocation(of: in_addr.self, capacity: 1) { address -> NetworkAddress? in
            guard let pointer = address.baseAddress, inet_aton(name, pointer) != 0 else { return nil }
            return NetworkAddress(UnsafeRawBufferPointer(address))
        }
        return (old ?? NetworkAddress(name)).map { [$0] } ?? []
    }

    /// Returns the loopback addresses that a host means without a look-up; empty for a host that is not this machine by
    /// its name. The unspecified address means loopback, as for systems that connect to it.
    package static func loopback(_ host: String) -> [NetworkAddress] {
        self.spelled(host).compactMap { address in
            if address.isLoopback { return address }
            guard address.isUnspecified else { return nil }
            return address.bytes.count == 4 ? self.loopback4 : self.loopback6
        }
    }

    /// Bound to it, a socket has every address of the machine.
    package var isUnspecified: Bool { self.bytes.allSatisfy { $0 == 0 } }

    /// True if it always means the machine that it is used on (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    package var isLoopback: Bool { self.bytes.count == 4 ? self.bytes[0] == 127 : self == Self.loopback6 }

    /// Returns true if a socket bound here accepts connections to `target`. Those to the unspecified address go to this
    /// machine.
    package func takes(_ target: NetworkAddress) -> Bool {
        self == target
            || self.isUnspecified && (target.isLoopback || target.isUnspecified)
            || self.isLoopback && target.isUnspecified
    }

    /// As it is usually written, IPv6 without brackets.
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = self.bytes.count == 4 ? AF_INET : AF_INET6
            let written = inet_ntop(family, self.bytes, text.baseAddress, socklen_t(text.count))
            return written.map { String(cString: $0) } ?? ""
        }
    }
}

/// The addresses that begin with the same bits, as `10.0.0.0/8` has them (RFC 4632 section 3.1).
package struct NetworkRange: Sendable, Hashable {
    private let start: NetworkAddress
    private let bits: Int

    /// Returns `nil` if it is not `ADDRESS/BITS`.
    package init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let start = NetworkAddress(text[..<slash]) else { return nil }
        let digits = text[text.index(after: slash)...]
        // `Int` would take a sign, too.
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let bits = Int(digits),
            (0...start.bytes.count * 8).contains(bits)
        else { return nil }
        self.start = start
        self.bits = bits
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == self.start.bytes.count else { return false }
        return zip(address.bytes, self.start.bytes).enumerated().allSatisfy { index, pair in
            let rest = self.bits - index * 8
            guard rest > 0 else { return true }
            return (pair.0 ^ pair.1) >> UInt8(max(0, 8 - rest)) == 0
        }
    }
}
