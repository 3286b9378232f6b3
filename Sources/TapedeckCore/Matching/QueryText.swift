/// Query parameters as text.
package enum QueryText {
    /// Undoes percent-encoding. A plus sign is a space.
    package static func decoded(_ bytes: some Collection<UInt8>) -> String {
        ByteText.string(from: PercentEncoding.decoded(bytes) { $0 == 0x2B ? ASCII.space : $0 })
    }

    /// Percent-encodes all but what RFC 3986 section 3.4 allows in a query, and what would end the parameter. Placeholders
    /// of secrets stay as they are, as a redacted request has them.
    package static func encoded(_ text: String) -> String {
        guard let start = text.firstRange(of: SecretPlaceholder.start)?.lowerBound,
            let end = text[start...].firstRange(of: "}}")?.upperBound
        else { return self.encodedWhole(text) }
        return self.encodedWhole(String(text[..<start])) + text[start..<end] + self.encoded(String(text[end...]))
    }

    private static func encodedWhole(_ text: String) -> String {
        let kept = "!$'()*,;:@/?".utf8
        var bytes: [UInt8] = []
        for byte in ByteText.bytes(of: text) {
            if ASCII.isUnreserved(byte) || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The parameters behind the question mark of a URL, in its order.
    package static func parameters(of url: ArraySlice<UInt8>) -> [(name: String, value: String)] {
        guard let question = url.firstIndex(of: ASCII.question) else { return [] }
        return url[(question + 1)...].split(separator: ASCII.ampersand).map { parameter in
            let name = parameter.prefix { $0 != ASCII.equals }
            return (self.decoded(name), self.decoded(parameter.dropFirst(name.count + 1)))
        }
    }
}
