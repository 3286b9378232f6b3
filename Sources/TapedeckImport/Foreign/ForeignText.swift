import CIconv
import TapedeckCore

/// Bytes as files of other tools spell them.
enum ForeignText {
    /// The bytes of a base64 text; `nil` for every other text, where other readers ignore errors.
    static func strictBase64(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
    }

    /// The bytes of a base64 text in either alphabet; line ends and other strangers are skipped, as Ruby, Python and
    /// Node do it. `nil` for a text that breaks off within a byte.
    static func base64(_ text: String) -> [UInt8]? {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                kept.append(byte)
            default:
                continue
            }
        }
        return kept.withUnsafeBytes { Base64.decodeEither($0) }
    }

    /// The bytes that Ruby's `unpack("m")` makes of a text: it skips all characters but those of the usual alphabet, ends at
    /// padding, and drops a byte that is not whole.
    static func rubyBase64(_ text: String) -> [UInt8] {
        var kept = text.utf8.prefix { $0 != UInt8(ascii: "=") }.filter { byte in
            ASCII.isUnreserved(byte) && !"-._~".utf8.contains(byte) || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/")
        }
        if kept.count % 4 == 1 { kept.removeLast() }
        return kept.withUnsafeBytes { Base64.decodeEither($0) } ?? []
    }

    /// A text as forms encode it, but for the characters of `kept`.
    static func formEncoded(_ text: String, keeping kept: String = "*") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case _ where ASCII.isUnreserved(byte) || kept.utf8.contains(byte):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20:
                result += "+"
            default:
                result += "%" + String(decoding: [ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)], as: UTF8.self)
            }
        }
        return result
    }

    /// The bytes of pairs of hexadecimal digits; `nil` for any other text.
    static func hex(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = ASCII.hexValue(digits[index]), let low = ASCII.hexValue(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes of a text in a character encoding; `nil` for an encoding that is not known, and for a text that it
    /// cannot write.
    static func encode(_ text: String, as encoding: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        switch ASCII.lowercased(encoding) {
        case "utf-8", "utf8", "ascii-8bit", "binary": return bytes
        case "us-ascii", "ascii": return bytes.allSatisfy { $0 < 0x80 } ? bytes : nil
        case "iso-8859-1", "latin1", "latin-1", "iso8859-1":
            guard text.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
            return text.unicodeScalars.map { UInt8($0.value) }
        default:
            return self.convert(bytes, to: encoding)
        }
    }

    private static func convert(_ bytes: [UInt8], to encoding: String) -> [UInt8]? {
        // The names of the C library are of these characters; `//` would ask it to guess.
        guard encoding.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == UInt8(ascii: ":") }) else { return nil }
        let descriptor = iconv_open(encoding, "UTF-8")
        guard descriptor != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(descriptor) }
        var input = bytes.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output -> Int? in
                var source = input.baseAddress
                var target = output.baseAddress
                var (left, room) = (input.count, output.count)
                guard iconv(descriptor, &source, &left, &target, &room) != -1, left == 0 else { return nil }
                return output.count - room
            }
        }
        return written.map { output[..<$0].map { UInt8(bitPattern: $0) } }
    }
}
