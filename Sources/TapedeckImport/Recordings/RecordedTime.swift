import TapedeckCore

/// A time as recorders write it.
struct RecordedTime {
    let instant: Instant

    /// Reads an HTTP date, or an RFC 3339 time; one without a zone is in UTC, as Betamax writes it.
    init?(_ text: String) {
        guard let instant = Instant(httpDate: text) ?? Instant(rfc3339: text) ?? Instant(rfc3339: text + "Z") else {
            return nil
        }
        self.instant = instant
    }
}

/// A duration in the form of Go: `1m2.5s`, `812.5ms`.
struct GoDuration {
    /// Rounded.
    let milliseconds: Int

    init?(_ text: String) {
        var rest = text[...]
        var total = 0.0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { !($0.isASCII && ($0.isNumber || $0 == ".")) }
            rest = rest.dropFirst(unit.count)
            guard let value = Double(number), let factor = Self.factors[String(unit)] else { return nil }
            total += value * factor
        }
        guard total >= 0, total < 1e12 else { return nil }
        self.milliseconds = Int(total.rounded())
    }

    private static let factors: [String: Double] = [
        "ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000,
    ]
}
