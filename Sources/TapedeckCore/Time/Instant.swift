/// A point in time: milliseconds since 1970 in UTC, without leap seconds, as Unix counts.
package struct Instant: Sendable, Hashable, Comparable {
    /// Since 1970-01-01T00:00:00Z; negative before.
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(seconds: Int64) {
        self.milliseconds = seconds.multipliedSaturating(by: 1_000)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { self.milliseconds.flooredQuotient(by: 1_000) }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant that much later, or earlier for a negative number; at the end of the range it stops.
    package func advanced(byMilliseconds milliseconds: Int64) -> Self {
        Self(milliseconds: self.milliseconds.addingSaturating(milliseconds))
    }

    /// RFC 3339 in UTC, to the second: `2026-11-21T10:09:08Z`.
    package var rfc3339: String { self.text(.rfc3339) }

    /// `2026-11-28T19:10:58+01:00`, in local time; in UTC with a `Z`.
    ///
    /// - Parameter zone: the distance to UTC in minutes, positive to the east.
    package func rfc3339(zone: Int) -> String {
        guard zone != 0 else { return self.rfc3339 }
        let local = self.advanced(byMilliseconds: Int64(zone) * 60_000).rfc3339
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(local.dropLast())\(zone < 0 ? "-" : "+")\(digits(abs(zone) / 60)):\(digits(abs(zone) % 60))"
    }
}

extension Int64 {
    /// The quotient rounded down, also for negative numbers.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The sum, or the end of the range where it would be beyond.
    func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// The product with a positive number, or the end of the range where it would be beyond.
    func multipliedSaturating(by factor: Int64) -> Int64 {
        let (product, overflow) = self.multipliedReportingOverflow(by: factor)
        guard overflow else { return product }
        return self < 0 ? .min : .max
    }
}
