import TapedeckCore

/// A text out of its escapes, and where each of its bytes came from.
struct DecodedText {
    private(set) var bytes: [UInt8] = []
    /// For each byte where it begins in the source; behind the last, where the source ends.
    private(set) var sources: [Int] = []

    /// Decodes percent-encoding (RFC 3986 section 2.1).
    init(percent text: UnsafeRawBufferPointer, _ range: Range<Int>, plusIsSpace: Bool) {
        self.reserve(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            if byte == ASCII.percent, index + 2 < range.upperBound, let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
            {
                self.append(high << 4 | low, index)
                index += 3
            } else {
                self.append(plusIsSpace && byte == 0x2B ? ASCII.space : byte, index)
                index += 1
            }
        }
        self.sources.append(range.upperBound)
    }

    /// Decodes the escapes of a JSON string (RFC 8259 section 7). Anything else stays.
    init(json text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.reserve(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            guard byte == ASCII.backslash, index + 1 < range.upperBound else {
                self.append(byte, index)
                index += 1
                continue
            }
            let escape = text[index + 1]
            if escape == 0x75, let (scalar, length) = Self.unicode(text, index, range.upperBound) {
                for byte in Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter {
                    self.append(byte, index)
                }
                index += length
            } else if let plain = Self.plain(escape) {
                self.append(plain, index)
                index += 2
            } else {
                self.append(byte, index)
                index += 1
            }
        }
        self.sources.append(range.upperBound)
    }

    /// Returns the place in the source of a part of this text.
    func source(of range: Range<Int>) -> Range<Int> {
        self.sources[range.lowerBound]..<self.sources[range.upperBound]
    }

    private mutating func reserve(_ count: Int) {
        self.bytes.reserveCapacity(count)
        self.sources.reserveCapacity(count + 1)
    }

    private mutating func append(_ byte: UInt8, _ source: Int) {
        self.bytes.append(byte)
        self.sources.append(source)
    }

    private static func plain(_ escape: UInt8) -> UInt8? {
        switch escape {
        case ASCII.quote, ASCII.backslash, ASCII.slash: escape
        case 0x27: 0x27
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: ASCII.lineFeed
        case 0x72: ASCII.carriageReturn
        case 0x74: ASCII.tab
        default: nil
        }
    }

    private static func unicode(
        _ text: UnsafeRawBufferPointer,
        _ index: Int,
        _ end: Int
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        guard let unit = Self.unit(text, index, end) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard (0xD800...0xDBFF).contains(unit), let low = Self.unit(text, index + 6, end),
            (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return nil }
        return (scalar, 12)
    }

    private static func unit(_ text: UnsafeRawBufferPointer, _ index: Int, _ end: Int) -> UInt32? {
        guard index + 6 <= end, text[index] == ASCII.backslash, text[index + 1] == 0x75 else { return nil }
        var value: UInt32 = 0
        for offset in 2..<6 {
            guard let digit = ASCII.hexValue(text[index + offset]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
