/// The canonical spelling of the parts of a URL: equal for texts that mean the same.
///
/// Percent-encoding is undone but for bytes that a URL cannot have, and for those that delimit: `%2F`, `%3F` and `%3B` in a
/// path, `%26` in a query, `%3D` in a parameter's name, and `%23`, `%25` and `%2B` everywhere (RFC 3986 section 2.2). In a
/// query `+` is a space (WHATWG URL section 5.1), written `%20`. A percent sign without two digits is `%25`.
enum URLSpelling {
    enum Part {
        case path
        /// The name of a query parameter.
        case name
        /// The value of a query parameter.
        case value
    }

    static func append(_ text: UnsafeRawBufferPointer, of part: Part, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            // Each request comes through here, and most bytes stand for themselves.
            var end = index
            while end < text.count, !self.isChanged(text[end], part) { end += 1 }
            if end > index { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<end])) }
            guard end < text.count else { return }
            let byte = text[end]
            index = end + 1
            guard byte == ASCII.percent, let decoded = PercentEncoding.byte(text[index...].prefix(2)) else {
                self.appendEncoded(byte == self.plus ? ASCII.space : byte, to: &bytes)
                continue
            }
            index += 2
            // Two braces would begin a placeholder.
            if self.staysEncoded(decoded, part) || decoded == ASCII.openBrace && bytes.last == decoded {
                self.appendEncoded(decoded, to: &bytes)
            } else {
                bytes.append(decoded)
            }
        }
    }

    /// Appends a parameter, a name and maybe `=` and a value; without a value it has no `=` either.
    static func append(parameter: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var equals = 0
        while equals < parameter.count, parameter[equals] != ASCII.equals { equals += 1 }
        self.append(UnsafeRawBufferPointer(rebasing: parameter[..<equals]), of: .name, to: &bytes)
        guard equals + 1 < parameter.count else { return }
        bytes.append(ASCII.equals)
        self.append(UnsafeRawBufferPointer(rebasing: parameter[(equals + 1)...]), of: .value, to: &bytes)
    }

    /// Returns true for a byte that does not stand for itself.
    @inline(__always)
    private static func isChanged(_ byte: UInt8, _ part: Part) -> Bool {
        byte == ASCII.percent || byte == self.plus && part != .path || self.isStray(byte)
    }

    private static func appendEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
    }

    private static func staysEncoded(_ byte: UInt8, _ part: Part) -> Bool {
        switch byte {
        case 0x00...0x20, 0x7F, ASCII.hash, ASCII.percent, self.plus: true
        case ASCII.slash, ASCII.question, 0x3B: part == .path
        case ASCII.ampersand: part != .path
        case ASCII.equals: part == .name
        default: self.isStray(byte)
        }
    }

    /// Returns true for bytes beyond ASCII and `"<>\^`|`, which RFC 3986 leaves out of every part of a URL. Braces are not
    /// among them, because placeholders of secrets have them.
    @inline(__always)
    static func isStray(_ byte: UInt8) -> Bool {
        // One bit for each byte: each byte of each URL is asked for.
        let low: UInt64 = 1 << 0x22 | 1 << 0x3C | 1 << 0x3E
        let high: UInt64 = 1 << (0x5C - 64) | 1 << (0x5E - 64) | 1 << (0x60 - 64) | 1 << (0x7C - 64)
        return byte >= 0x80 || (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
    }

    private static let plus: UInt8 = 0x2B
}
