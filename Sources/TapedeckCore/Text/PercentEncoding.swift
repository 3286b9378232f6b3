/// Undoes percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// The text that is meant; `nil` when that is not UTF-8, or a percent sign has no digits.
    package static func text(_ encoded: some StringProtocol) -> String? {
        self.bytes(encoded.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes that are meant; `nil` when a percent sign has no digits.
    package static func bytes(_ encoded: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            guard byte == ASCII.percent else {
                bytes.append(byte)
                continue
            }
            guard let value = self.byte(rest.prefix(2)) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The bytes with `%` and two hex digits turned into their byte, and any other byte as `plain` says.
    package static func decoded(_ bytes: some Collection<UInt8>, plain: (UInt8) -> UInt8 = { $0 }) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == ASCII.percent, let value = self.byte(rest.prefix(2)) {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plain(byte))
            }
        }
        return decoded
    }

    /// The byte of two hex digits; `nil` for anything else.
    static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, let first = digits.first.flatMap(ASCII.hexValue),
            let second = digits.dropFirst().first.flatMap(ASCII.hexValue)
        else { return nil }
        return first << 4 | second
    }
}
