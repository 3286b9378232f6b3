/// A JSON number as digits times a power of ten: equal numbers are equal here, whatever their spelling.
struct JSONDecimal: Equatable {
    private let isNegative: Bool
    /// ASCII, with no zero at either end; empty for zero, which has no sign.
    private let digits: [UInt8]
    private let exponent: Int

    /// - Parameter spelling: a number by the grammar of RFC 8259, whose exponent has at most 18 digits.
    init(_ spelling: String) {
        let parts = spelling.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        let point = parts[0].firstIndex(of: UInt8(ascii: "."))
        let decimals = point.map { parts[0].distance(from: $0, to: parts[0].endIndex) - 1 } ?? 0
        let digits = parts[0].filter { $0 >= UInt8(ascii: "0") }.drop { $0 == UInt8(ascii: "0") }
        let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        let power = parts.count == 2 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
        self.digits = Array(digits.dropLast(zeros))
        self.isNegative = !digits.isEmpty && spelling.utf8.first == UInt8(ascii: "-")
        self.exponent = digits.isEmpty ? 0 : power - decimals + zeros
    }

    /// The value where it is whole and in range.
    var int: Int? {
        guard self.exponent >= 0, self.digits.count + self.exponent < 20 else { return nil }
        let text = String(decoding: self.digits, as: UTF8.self) + String(repeating: "0", count: self.exponent)
        return Int((self.isNegative ? "-" : "") + (text.isEmpty ? "0" : text))
    }
}
