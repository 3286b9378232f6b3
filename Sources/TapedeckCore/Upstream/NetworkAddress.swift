#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IPv4 or IPv6 address, as its bytes; one that maps IPv4 into IPv6 (RFC 4291 section 2.5.5.2) is the former.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    private static let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Four or sixteen of them, in network order.
    package let bytes: [UInt8]

    /// An address as it is usually written; IPv6 with or without the brackets of a URL. `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if isBracketed { text = String(text.dropFirst().dropLast()) }
        var bytes = [UInt8](repeating: 0, count: 16)
        if !isBracketed, inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes.starts(with: Self.mapping) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    /// Whether it always means the machine that it is used on (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    package var isLoopback: Bool {
        self.bytes.count == 4
            ? self.bytes.first == 127 : self.bytes.dropLast().allSatisfy { $0 == 0 } && self.bytes.last == 1
    }

    /// As it is usually written, IPv6 without brackets.
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = self.bytes.count == 4 ? AF_INET : AF_INET6
            let written = inet_ntop(family, self.bytes, text.baseAddress, socklen_t(text.count))
            return written.map { String(cString: $0) } ?? ""
        }
    }

    /// Whether a host always means the machine that it is used on: a loopback address, or a name of it (RFC 6761
    /// section 6.3).
    package static func isLoopback(host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name == "localhost" || name.hasSuffix(".localhost") || Self(name)?.isLoopback == true
    }
}

/// The addresses that begin with the same bits, as `10.0.0.0/8` has them (RFC 4632 section 3.1).
package struct NetworkRange: Sendable, Hashable {
    private let start: NetworkAddress
    private let bits: Int

    /// `nil` for what is no `ADDRESS/BITS`.
    package init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let start = NetworkAddress(text[..<slash]),
            let bits = Int(text[text.index(after: slash)...]), (0...start.bytes.count * 8).contains(bits)
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
