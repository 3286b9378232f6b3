/// Base64 (RFC 4648 section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet: [UInt8] = Self.alphabet.dropLast(2) + "-_".utf8
    private static let padding: UInt8 = 0x3D

    package static func encode(_ bytes: [UInt8], isPadded: Bool = true) -> [UInt8] {
        self.encode(bytes, self.alphabet, isPadded: isPadded)
    }

    /// With the alphabet of URLs and without padding (RFC 4648 section 5).
    package static func encodeURL(_ bytes: [UInt8]) -> [UInt8] {
        self.encode(bytes, self.urlAlphabet, isPadded: false)
    }

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            for position in 0..<4 {
                let value = Int(group >> (18 - 6 * UInt32(position)) & 0x3F)
                if position <= count {
                    output.append(alphabet[value])
                } else if isPadded {
                    output.append(self.padding)
                }
            }
            index += 3
        }
        return output
    }

    /// White space is skipped, because a person may have wrapped the text. Returns `nil` if it is not base64.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 3 / 4)
        var group: UInt32 = 0
        var count = 0
        var padded = 0
        for byte in text {
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { continue }
            if byte == self.padding {
                padded += 1
                continue
            }
            guard padded == 0, let value = self.value(byte) else { return nil }
            group = group << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                output.append(UInt8(truncatingIfNeeded: group >> 16))
                output.append(UInt8(truncatingIfNeeded: group >> 8))
                output.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        switch count % 4 {
        case 0:
            return padded == 0 ? output : nil
        case 2 where padded == 2 || padded == 0:
            output.append(UInt8(truncatingIfNeeded: group >> 4))
            return output
        case 3 where padded == 1 || padded == 0:
            output.append(UInt8(truncatingIfNeeded: group >> 10))
            output.append(UInt8(truncatingIfNeeded: group >> 2))
            return output
        default:
            return nil
        }
    }

    /// In either alphabet, with padding or without, and without any white space; `nil` when it is neither.
    package static func decodeEither(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 3 / 4)
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == self.padding { end -= 1 }
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for index in 0..<end {
            var byte = text[index]
            if byte == 0x2D { byte = 0x2B }
            if byte == 0x5F { byte = 0x2F }
            guard let value = self.value(byte) else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= (1 << bits) - 1
            }
        }
        return end % 4 == 1 ? nil : output
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x47
        case 0x30...0x39: byte + 4
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
