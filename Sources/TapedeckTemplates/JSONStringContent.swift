import Mustache
import TapedeckCore

/// Escapes what a template writes into a JSON body as the inside of a JSON string (RFC 8259 section 7).
struct JSONStringContent: MustacheContentType {
    private static let name = "TAPEDECK_JSON"

    /// The name by which the library knows this. It is told the first time that somebody asks.
    static let registeredName: String = {
        MustacheContentTypes.register(Self(), named: Self.name)
        return Self.name
    }()

    func escapeText(_ text: String) -> String {
        let needsWork = text.utf8.contains { byte in
            // F4 leads the escapes of bytes that are not UTF-8 (ByteText), and little else.
            byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash || byte == 0xF4
        }
        guard needsWork else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            Self.append(scalar, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"", "\\": bytes += [ASCII.backslash, UInt8(scalar.value)]
        case "\n": bytes += Array("\\n".utf8)
        case "\r": bytes += Array("\\r".utf8)
        case "\t": bytes += Array("\\t".utf8)
        case "\u{00}"..."\u{1F}":
            let value = UInt8(scalar.value)
            bytes += Array("\\u00".utf8) + [ASCII.hexDigit(value >> 4), ASCII.hexDigit(value & 0x0F)]
        // A byte that is not UTF-8 would make the whole body no JSON.
        case "\u{10FF80}"..."\u{10FFFF}": bytes += Array("\u{FFFD}".utf8)
        default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
        }
    }
}
