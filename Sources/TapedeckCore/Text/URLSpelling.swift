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

    static func append(_ text: some Collection<UInt8>, of part: Part, to bytes: inout [UInt8]) {
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == ASCII.percent {
                guard let decoded = PercentEncoding.byte(rest.prefix(2)) else {
                    self.appendEncoded(byte, to: &bytes)
                    continue
                }
                rest = rest.dropFirst(2)
                // Two braces would begin a placeholder.
                if self.staysEncoded(decoded, part) || decoded == ASCII.openBrace && bytes.last == decoded {
                    self.appendEncoded(decoded, to: &bytes)
                } else {
                    bytes.append(decoded)
                }
            } else if byte == self.plus, part != .path {
                self.appendEncoded(ASCII.space, to: &bytes)
            } else if self.isStray(byte) {
                self.appendEncoded(byte, to: &bytes)
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Appends a parameter, a name and maybe `=` and a value; without a value it has no `=` either.
    static func append(parameter: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let name = parameter.prefix { $0 != ASCII.equals }
        self.append(name, of: .name, to: &bytes)
        let value = parameter.dropFirst(name.count + 1)
        guard !value.isEmpty else { return }
        bytes.append(ASCII.equals)
        self.append(value, of: .value, to: &bytes)
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
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7C, 0x80...: true
        default: false
        }
    }

    private static let plus: UInt8 = 0x2B
}
