import TapedeckCore

/// A set of ASCII characters.
struct ByteClass: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    static let url = ByteClass("A-Za-z0-9_-")
    static let alphanumeric = ByteClass("A-Za-z0-9")

    /// - Parameter text: characters and ranges, as between the brackets of a regular expression; a `-` at the end is
    ///   literal.
    init(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    /// Creates the set of a text that is there as bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if index + 2 < bytes.endIndex, bytes[index + 1] == 0x2D {
                self.insert(bytes[index], to: bytes[index + 2])
                index += 3
            } else {
                self.insert(bytes[index], to: bytes[index])
                index += 1
            }
        }
    }

    /// Creates the set of one character.
    init(_ byte: UInt8) {
        self.insert(byte, to: byte)
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? self.low >> UInt64(byte) & 1 != 0 : byte < 128 && self.high >> UInt64(byte & 63) & 1 != 0
    }

    /// Adds the characters of a range, all at once: every start of a deck that records makes hundreds of these sets.
    private mutating func insert(_ first: UInt8, to last: UInt8) {
        if first < 64 { self.low |= Self.bits(first, min(last, 63)) }
        if last >= 64 { self.high |= Self.bits(max(first, 64) - 64, min(last, 127) - 64) }
    }

    /// The bits from one to another one, both less than 64.
    private static func bits(_ first: UInt8, _ last: UInt8) -> UInt64 {
        UInt64.max << UInt64(first) & UInt64.max >> UInt64(63 - last)
    }

    var count: Int { self.low.nonzeroBitCount + self.high.nonzeroBitCount }

    /// The characters of the set, in order.
    var characters: [UInt8] {
        var characters: [UInt8] = []
        characters.reserveCapacity(self.count)
        for (word, first) in [(self.low, 0), (self.high, 64)] {
            var rest = word
            while rest != 0 {
                characters.append(UInt8(first + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return characters
    }

    /// The letters and digits of the set in the form of a shape, or `nil`.
    var shape: String? {
        var ranges: [ClosedRange<UInt8>] = []
        for byte in self.characters where ASCII.hexValue(byte) != nil || Self.letters.contains(byte) {
            if let last = ranges.last, last.upperBound + 1 == byte {
                ranges[ranges.count - 1] = last.lowerBound...byte
            } else {
                ranges.append(byte...byte)
            }
        }
        guard !ranges.isEmpty else { return nil }
        // `[A-Za-z0-9]`, but `[0-9a-f]`.
        if self.contains(0x5A) || self.contains(0x7A) {
            ranges = ranges.filter { $0.lowerBound > 0x39 } + ranges.filter { $0.lowerBound <= 0x39 }
        }
        let text = ranges.map { range in
            let first = String(UnicodeScalar(range.lowerBound))
            return range.count == 1 ? first : "\(first)-\(UnicodeScalar(range.upperBound))"
        }
        return "[\(text.joined())]"
    }

    private static let letters = ByteClass("A-Za-z")
}
