/// Received bytes as Swift strings, without loss.
///
/// A header value is bytes (RFC 9110 section 5.5 allows obs-text), a Swift string is Unicode. Bytes that are not UTF-8
/// become the private-use characters U+10FF80 to U+10FFFF, one per byte, and become that byte again when sent. A text
/// that contains such a character itself is encoded in the same way, so the round trip is always exact.
package enum ByteText {
    private static let escapeBase: UInt32 = 0x10FF00
    /// The first byte of the UTF-8 form of every character beyond U+FFFFF, which includes the escapes.
    private static let escapeLead: UInt8 = 0xF4

    /// The string for `bytes`; UTF-8 as it is, any other byte escaped.
    package static func string(from bytes: UnsafeRawBufferPointer) -> String {
        // Nearly all are ASCII, which is quick to see; `String(validating:)` is generic, and not specialised for bytes.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if !bytes.contains(self.escapeLead), let text = String(validating: bytes, as: UTF8.self) { return text }
        return self.escapingString(from: bytes)
    }

    /// The string for `bytes`; UTF-8 as it is, any other byte escaped.
    package static func string(from bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { self.string(from: UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { self.string(from: $0) }
    }

    /// Appends the bytes that `text` represents.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        let plain = text.withUTF8 { utf8 in
            guard !utf8.contains(self.escapeLead) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        guard !plain else { return }
        for scalar in text.unicodeScalars {
            if scalar.value >= self.escapeBase + 0x80, scalar.value <= self.escapeBase + 0xFF {
                bytes.append(UInt8(scalar.value - self.escapeBase))
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// Returns the bytes that `text` represents.
    package static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        self.append(text, to: &bytes)
        return bytes
    }

    private static func escapingString(from bytes: UnsafeRawBufferPointer) -> String {
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            let length = self.sequenceLength(bytes[index])
            let end = index + length
            if length > 0, end <= bytes.count,
                let scalar = String(validating: bytes[index..<end], as: UTF8.self)?.unicodeScalars.first,
                scalar.value < self.escapeBase + 0x80
            {
                text.append(scalar)
                index = end
            } else {
                // Every value from U+10FF80 to U+10FFFF is a scalar, so the fallback is never taken.
                text.append(Unicode.Scalar(self.escapeBase + UInt32(bytes[index])) ?? "\u{FFFD}")
                index += 1
            }
        }
        return String(text)
    }

    /// Returns the length of the UTF-8 sequence that begins with `lead`, or 0 if it begins none.
    private static func sequenceLength(_ lead: UInt8) -> Int {
        switch lead {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }
}
