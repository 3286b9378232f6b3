/// A JSON number: how it is spelt, and its exact value. No number is rounded, however many digits it has.
package struct JSONNumber: Sendable {
    /// The spelling in the JSON text, such as `1.50e3`.
    package let spelling: String

    /// Returns `nil` if the text is not a JSON number (RFC 8259 section 6), or its exponent has more than 18 digits.
    package init?(_ text: String) {
        var utf8 = text
        let isNumber = utf8.withUTF8 { Self.end(in: UnsafeRawBufferPointer($0), from: 0) == $0.count }
        guard isNumber else { return nil }
        self.spelling = text
    }

    package init(_ value: Int) {
        self.spelling = String(value)
    }

    /// For what is known to be a JSON number, as a parser has checked it.
    package init(checked spelling: String) {
        self.spelling = spelling
    }

    /// The nearest `Double`; infinity for what is too large.
    package var doubleValue: Double {
        Double(self.spelling) ?? .nan
    }

    /// The value when it is whole and in range: 1.0 and 1e2 are whole.
    package var intValue: Int? {
        if let value = Int(self.spelling) { return value }
        let value = Decimal(self.spelling)
        guard value.exponent >= 0, value.digits.count + value.exponent < 20 else { return nil }
        let digits = String(decoding: value.digits, as: UTF8.self) + String(repeating: "0", count: value.exponent)
        return Int((value.isNegative ? "-" : "") + (digits.isEmpty ? "0" : digits))
    }

    /// True if the number is whole and does not end in a zero, as most are: its spelling is then the canonical one.
    private var isPlain: Bool {
        var spelling = self.spelling
        return spelling.withUTF8 { utf8 in
            for byte in utf8.dropFirst() where byte &- 0x30 >= 10 {
                return false
            }
            return utf8.last != 0x30
        }
    }

    /// Appends the one spelling of all numbers of this value: digits without a zero at either end, and an exponent
    /// where there must be one (`12e1` for 120.0). Minus zero is zero.
    package func appendCanonical(to bytes: inout [UInt8]) {
        guard !self.isPlain else { return bytes.append(contentsOf: self.spelling.utf8) }
        let value = Decimal(self.spelling)
        guard !value.digits.isEmpty else { return bytes.append(0x30) }
        if value.isNegative { bytes.append(0x2D) }
        bytes.append(contentsOf: value.digits)
        guard value.exponent != 0 else { return }
        bytes.append(0x65)
        bytes.append(contentsOf: String(value.exponent).utf8)
    }
}

extension JSONNumber: Comparable {
    /// By value.
    package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if left.spelling.isSameText(as: right.spelling) { return true }
        if left.isPlain, right.isPlain { return false }
        return Decimal(left.spelling) == Decimal(right.spelling)
    }

    /// By value.
    package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if let left = Int(left.spelling), let right = Int(right.spelling) { return left < right }
        let left = Decimal(left.spelling)
        let right = Decimal(right.spelling)
        guard left.sign == right.sign else { return left.sign < right.sign }
        return left.sign < 0 ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }
}

/// A number as digits times a power of ten. Equal values are equal here.
private struct Decimal: Equatable {
    let isNegative: Bool
    /// ASCII, with no zero at either end; empty for zero.
    let digits: [UInt8]
    let exponent: Int

    /// `spelling` must be a JSON number.
    init(_ spelling: String) {
        var digits: [UInt8] = []
        var isNegative = false
        var fraction = 0
        var exponent = 0
        var inFraction = false
        var bytes = spelling.utf8.makeIterator()
        scan: while let byte = bytes.next() {
            switch byte {
            case 0x2D: isNegative = true
            case 0x2E: inFraction = true
            case 0x30...0x39:
                if inFraction { fraction += 1 }
                if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
            default: break scan
            }
        }
        // The rest, if any, is the exponent.
        var isNegativeExponent = false
        while let byte = bytes.next() {
            if byte == 0x2D { isNegativeExponent = true }
            if byte >= 0x30 { exponent = exponent &* 10 &+ Int(byte &- 0x30) }
        }
        let significant = (digits.lastIndex { $0 != 0x30 } ?? -1) + 1
        let zeros = digits.count - significant
        digits.removeLast(zeros)
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : (isNegativeExponent ? -exponent : exponent) - fraction + zeros
        self.digits = digits
    }

    var sign: Int { self.digits.isEmpty ? 0 : (self.isNegative ? -1 : 1) }

    /// Compares without the signs. Neither may be zero, unless both are.
    func isSmaller(than other: Decimal) -> Bool {
        let size = self.digits.count + self.exponent
        let otherSize = other.digits.count + other.exponent
        // Digits behind the last count as zeros, and no digit is smaller than that.
        return size != otherSize ? size < otherSize : self.digits.lexicographicallyPrecedes(other.digits)
    }
}

extension JSONNumber {
    /// Returns the offset after a number (RFC 8259 section 6), or `nil` if there is no number at `start`.
    ///
    /// An exponent may have 18 digits, so that every sum with it fits into an `Int` (section 9 allows such a limit).
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        func digits() -> Int {
            let first = index
            while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
            return index - first
        }
        if index < bytes.count, bytes[index] == 0x2D { index += 1 }
        let first = index
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[first] != 0x30 else { return nil }
        if index < bytes.count, bytes[index] == 0x2E {
            index += 1
            guard digits() > 0 else { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == 0x65 {
            index += 1
            if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D { index += 1 }
            let hadZeros = index
            while index < bytes.count, bytes[index] == 0x30 { index += 1 }
            let hadDigits = digits()
            guard hadDigits <= 18, index > hadZeros else { return nil }
        }
        return index
    }
}
