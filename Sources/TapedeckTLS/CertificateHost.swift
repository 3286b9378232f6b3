import TapedeckPlatform

/// A host that a certificate may name: a DNS name or an IP address, checked and lower-cased.
///
/// The text comes from clients, so anything that is not plainly a name is refused.
struct CertificateHost: Hashable {
    enum Kind: Hashable {
        case dns
        /// Four or sixteen bytes in network order.
        case address([UInt8])
    }

    /// Lower case, without a final dot.
    let name: String
    let kind: Kind

    /// Accepts a DNS name (labels of letters, digits, hyphens and underscores, 63 bytes each, 253 in all, optionally
    /// with one final dot) or an IPv4 or IPv6 address without brackets.
    ///
    /// - Throws: `TLSError(.invalidHost)`.
    init(_ text: String) throws {
        guard let host = CertificateHost(parsing: text) else {
            let shown = String(text.prefix(80).map { $0.isASCII && $0 >= " " && $0 <= "~" ? $0 : "?" })
            throw TLSError(
                .invalidHost,
                "\"\(shown)\" is neither a host name nor an IP address: a name is made of labels of letters, digits, "
                    + "hyphens and underscores with dots between them, at most 253 bytes; an IPv6 address stands "
                    + "without brackets"
            )
        }
        self = host
    }

    private init?(parsing text: String) {
        var bytes = Array(text.utf8)
        // Also keeps NUL away from the C functions below, which would read only what precedes it.
        guard bytes.count <= 254, bytes.allSatisfy(Self.isAllowed) else {
            return nil
        }
        for index in bytes.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index]) {
            bytes[index] += 32
        }
        if let address = Self.address(String(decoding: bytes, as: UTF8.self)) {
            self.kind = .address(address)
            self.name = String(decoding: bytes, as: UTF8.self)
            return
        }
        if bytes.last == UInt8(ascii: ".") {
            bytes.removeLast()
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            bytes.count <= 253,
            labels.allSatisfy({ (1...63).contains($0.count) && !$0.contains(UInt8(ascii: ":")) })
        else {
            return nil
        }
        self.kind = .dns
        self.name = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default:
            false
        }
    }

    private static func address(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 {
                return bytes
            }
        }
        return nil
    }
}
