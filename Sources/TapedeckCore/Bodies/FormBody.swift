/// A body of the type `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).
package enum FormBody {
    /// Names and values in their order, percent-encoding and `+` decoded, as ``ByteText``. A name without `=` has an
    /// empty value; a `%` without two hex digits after it is literal.
    package static func parse(_ bytes: UnsafeRawBufferPointer) -> [(name: String, value: String)] {
        bytes.split(separator: ASCII.ampersand).map { pair in
            let name = pair.prefix { $0 != ASCII.equals }
            return (self.decoded(name), self.decoded(pair[name.endIndex...].dropFirst()))
        }
    }

    private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        guard bytes.contains(where: { $0 == ASCII.percent || $0 == 0x2B }) else {
            return ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes))
        }
        return ByteText.string(from: PercentEncoding.decoded(bytes) { $0 == 0x2B ? ASCII.space : $0 })
    }

    /// The spelling of a name or value (WHATWG URL, `application/x-www-form-urlencoded` percent-encode set). Placeholders of
    /// secrets stay as they are, as a redacted body has them.
    static func encoded(_ text: String) -> [UInt8] {
        let bytes = ByteText.bytes(of: text)
        let placeholders = bytes.withUnsafeBytes { SecretPlaceholder.all(in: $0) }.map(\.range)
        var encoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let placeholder = placeholders.first(where: { $0.lowerBound == index }) {
                encoded += bytes[placeholder]
                index = placeholder.upperBound
                continue
            }
            let byte = bytes[index]
            if byte == ASCII.space {
                encoded.append(0x2B)
            } else if byte == ASCII.asterisk || ASCII.isUnreserved(byte) && byte != UInt8(ascii: "~") {
                encoded.append(byte)
            } else {
                encoded += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            }
            index += 1
        }
        return encoded
    }
}
