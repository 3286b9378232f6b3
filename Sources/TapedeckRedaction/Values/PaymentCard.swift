/// Numbers of payment cards (ISO/IEC 7812-1).
enum PaymentCard {
    /// The first digits and the lengths that the networks issue: Visa, Mastercard, American Express, Diners Club,
    /// Discover, JCB, UnionPay, Maestro.
    private static let ranges: [(first: ClosedRange<Int>, digits: Int, lengths: Set<Int>)] = [
        (4...4, 1, [13, 16, 19]), (51...55, 2, [16]), (2221...2720, 4, [16]), (34...34, 2, [15]), (37...37, 2, [15]),
        (300...305, 3, [14]), (36...36, 2, [14]), (38...39, 2, [14]), (6011...6011, 4, [16, 19]),
        (644...649, 3, [16, 19]), (65...65, 2, [16, 19]), (3528...3589, 4, [16, 19]), (62...62, 2, [16, 17, 18, 19]),
        (5018...5018, 4, [13, 15, 16, 19]), (5020...5020, 4, [16, 19]), (5038...5038, 4, [16, 19]),
        (6304...6304, 4, [16, 18, 19]), (6759...6759, 4, [16, 18, 19]), (6761...6763, 4, [16, 18, 19]),
    ]

    /// True if digits are a number of a card: in a range that is issued, with the right check digit, and not one digit
    /// over and over.
    static func isNumber(_ digits: [UInt8]) -> Bool {
        guard (13...19).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            Set(digits).count > 1, Self.prefix(of: digits) != nil
        else { return false }
        return Self.luhn(digits) == 0
    }

    /// The first digits that tell the network.
    static func prefix(of digits: [UInt8]) -> String? {
        for range in Self.ranges where range.lengths.contains(digits.count) {
            let first = digits.prefix(range.digits).reduce(0) { $0 * 10 + Int($1 - 0x30) }
            if range.first.contains(first) { return String(decoding: digits.prefix(range.digits), as: UTF8.self) }
        }
        return nil
    }

    /// The sum of the algorithm of Luhn, modulo 10 (ISO/IEC 7812-1 annex B): 0 where the last digit is right.
    static func luhn(_ digits: [UInt8]) -> Int {
        digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - 0x30) * (digit.offset % 2 == 1 ? 2 : 1)
            return sum + (value > 9 ? value - 9 : value)
        } % 10
    }
}
