extension FormBody {
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
