/// A length of time as cassettes write it: `200ms`, `1.5s`, `2m`, `1h`, `3d`, `1w`, `0`.
package struct TimeSpan: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// An invalid length of time, with advice.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Reads a number and a unit without a space; the number may have a fraction if the result is a whole number of
    /// milliseconds. 0 needs no unit. A leading minus sign is refused unless `allowsNegative`.
    package init(_ text: String, allowsNegative: Bool = false) throws(Problem) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let magnitude = isNegative ? text.dropFirst() : text[...]
        let number = magnitude.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
            throw Problem(
                description: "`\(text)` is no length of time; write for example 200ms, 1.5s, 2m, 1h, 3d or 1w"
            )
        }
        guard allowsNegative || !isNegative else {
            throw Problem(description: "`\(text)` is negative; write it without the minus sign")
        }
        let unit = magnitude[number.endIndex...]
        let digits = parts.joined()
        guard !unit.isEmpty else {
            guard digits.allSatisfy({ $0 == "0" }) else {
                throw Problem(description: "`\(text)` has no unit; write \(text)s or \(text)ms")
            }
            self.milliseconds = 0
            return
        }
        guard let factor = Self.units.first(where: { $0.name == unit })?.milliseconds else {
            throw Problem(description: "`\(text)` has no unit that is known; the units are ms, s, m, h, d and w")
        }
        guard let total = Self.product(digits, decimals: parts.count == 2 ? parts[1].count : 0, factor: factor) else {
            throw Problem(description: "`\(text)` is too long, or finer than a millisecond")
        }
        self.milliseconds = isNegative ? -total : total
    }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The shortest text that reads back as exactly this, without fractions of what is less than one unit: `1.5s`,
    /// but `200ms` and not `0.2s`. The larger unit wins a tie.
    package var description: String {
        guard self.milliseconds != 0 else { return "0" }
        let magnitude = self.milliseconds.magnitude
        var best = "\(magnitude)ms"
        for (name, milliseconds) in Self.units.reversed().dropFirst() {
            guard let number = Self.decimal(magnitude, in: UInt64(milliseconds)) else { continue }
            if number.utf8.count + name.utf8.count <= best.utf8.count { best = number + name }
        }
        return (self.milliseconds < 0 ? "-" : "") + best
    }

    /// Returns `digits` with the point `decimals` places from the right, times `factor`, or `nil` if that is not a
    /// whole number or too large.
    private static func product(_ digits: String, decimals: Int, factor: Int64) -> Int64? {
        // Zeros at the end of a fraction have no effect, and could only overflow.
        let spare = decimals == 0 ? 0 : min(decimals, digits.reversed().prefix { $0 == "0" }.count)
        guard let number = Int64(digits.dropLast(spare)) else { return nil }
        var factor = factor
        var scale: Int64 = 1
        for _ in 0..<(decimals - spare) {
            guard factor % 10 != 0 else {
                factor /= 10
                continue
            }
            let (next, overflow) = scale.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            scale = next
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        return product % scale == 0 ? product / scale : nil
    }

    /// Returns `magnitude` in a unit, as a decimal number of at least 1 with at most three decimals, or `nil` if that
    /// is impossible.
    private static func decimal(_ magnitude: UInt64, in unit: UInt64) -> String? {
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
        guard whole > 0 else { return nil }
        guard rest > 0 else { return String(whole) }
        guard rest * 1_000 % unit == 0 else { return nil }
        var decimals = (rest * 1_000 / unit).padded(3)
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}
