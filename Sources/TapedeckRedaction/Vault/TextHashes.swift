/// Hashes of parts of a text, each in constant time after one pass.
///
/// The hash is a polynomial over the field of 2^61 - 1, at a point that is secret to the process, so that texts with
/// colliding parts cannot be crafted.
struct TextHashes {
    private static let prime: UInt64 = 1 << 61 - 1
    private static let place = UInt64.random(in: 1 << 32..<Self.prime)
    /// Parts up to this size are gone over each time, in bytes.
    private static let shortSize = 64

    let text: UnsafeRawBufferPointer
    /// The hash of the text up to each of its bytes.
    private var starts: [UInt64] = []

    init(_ text: UnsafeRawBufferPointer) {
        self.text = text
    }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0
        for byte in bytes { hash = Self.step(hash, byte) }
        return hash
    }

    mutating func hash(_ range: Range<Int>) -> UInt64 {
        if range.count <= Self.shortSize { return Self.hash(UnsafeRawBufferPointer(rebasing: self.text[range])) }
        if self.starts.isEmpty { self.read() }
        let lead = Self.product(self.starts[range.lowerBound], Self.power(range.count))
        let whole = self.starts[range.upperBound]
        return whole >= lead ? whole - lead : whole + Self.prime - lead
    }

    private mutating func read() {
        self.starts.reserveCapacity(self.text.count + 1)
        var hash: UInt64 = 0
        self.starts.append(hash)
        for byte in self.text {
            hash = Self.step(hash, byte)
            self.starts.append(hash)
        }
    }

    private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        // No byte is zero, or a text and the same with zeros in front would be one.
        let sum = Self.product(hash, Self.place) + UInt64(byte) + 1
        return sum >= Self.prime ? sum - Self.prime : sum
    }

    private static func power(_ exponent: Int) -> UInt64 {
        var (power, square, rest): (UInt64, UInt64, Int) = (1, Self.place, exponent)
        while rest > 0 {
            if rest & 1 != 0 { power = Self.product(power, square) }
            square = Self.product(square, square)
            rest >>= 1
        }
        return power
    }

    private static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (high, low) = one.multipliedFullWidth(by: other)
        let sum = (low & Self.prime) + (low >> 61 | high << 3)
        return sum >= Self.prime ? sum - Self.prime : sum
    }
}
