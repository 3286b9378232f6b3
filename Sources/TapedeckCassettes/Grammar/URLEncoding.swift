import TapedeckCore

/// Converts URLs as people write them to their form on the wire (RFC 3986 section 2.1).
enum URLEncoding {
    /// Returns the text with spaces and all bytes beyond ASCII percent-encoded. Existing encodings stay.
    static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: Self.needsEncoding) else { return text }
        var bytes: [UInt8] = []
        for byte in ByteText.bytes(of: text) {
            if Self.needsEncoding(byte) {
                bytes += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the offset of the first byte that occurs in no URL, encoded or not.
    static func controlCharacter(in text: String) -> Int? {
        text.utf8.enumerated().first { $0.element < ASCII.space || $0.element == 0x7F }?.offset
    }

    /// The host of a template for a whole URL; empty for one of a path.
    static func authority(of text: String) -> Substring {
        guard !text.hasPrefix("/"), let start = text.firstRange(of: "://")?.upperBound else { return "" }
        return text[start...].prefix { !"/?#".contains($0) }
    }

    static func needsEncoding(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == ASCII.space
    }
}

extension AbsoluteURL {
    /// The URL with its target as it goes over the wire.
    var percentEncoded: AbsoluteURL {
        AbsoluteURL(origin: self.origin, target: URLEncoding.encoded(self.target))
    }
}
