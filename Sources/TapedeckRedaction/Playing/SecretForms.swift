import TapedeckCore

extension SecretPlaceholder.Form {
    /// Decodes a secret from this form, or returns `nil` if the text does not have it.
    package func decode(_ text: [UInt8]) -> [UInt8]? {
        switch self {
        case .raw, .number: return text
        case .base64, .base64url: return text.withUnsafeBytes { Base64.decodeEither($0) }
        case .percent: return PercentEncoding.bytes(text) ?? text
        case .json:
            guard case .string(let value)? = try? JSONValue(parsing: [ASCII.quote] + text + [ASCII.quote]) else {
                return text
            }
            return ByteText.bytes(of: value)
        }
    }

    /// Encodes a secret in this form.
    package func encode(_ value: [UInt8]) -> [UInt8] {
        switch self {
        case .raw, .number: return value
        case .base64: return Base64.encode(value)
        case .base64url: return Base64.encodeURL(value)
        case .percent:
            return value.flatMap { byte in
                ASCII.isUnreserved(byte)
                    ? [byte] : [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte)]
            }
        case .json:
            var quoted: [UInt8] = []
            JSONValue.appendQuoted(String(decoding: value, as: UTF8.self), to: &quoted)
            return Array(quoted.dropFirst().dropLast())
        }
    }
}
