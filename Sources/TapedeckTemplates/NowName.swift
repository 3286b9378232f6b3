import TapedeckCore

/// The part of a name after `now`: any number of `plus-3d` and `minus-90m`, then an optional format.
struct NowName {
    /// Formats by name; without one, RFC 3339 to the second.
    static let formats: [String: TimeFormat] = [
        "rfc3339": .rfc3339, "rfc3339-millis": .rfc3339Milliseconds, "http": .http, "epoch": .epochSeconds,
        "millis": .epochMilliseconds, "date": .date,
    ]

    private(set) var offset: Int64 = 0
    private(set) var format: TimeFormat?

    /// `nil` for parts that mean nothing.
    init?(_ parts: some Sequence<Substring>) {
        for part in parts {
            guard self.format == nil else { return nil }
            if let offset = Self.offset(part) {
                self.offset = Instant(milliseconds: self.offset).advanced(byMilliseconds: offset).milliseconds
            } else if let format = Self.formats[String(part)] {
                self.format = format
            } else {
                return nil
            }
        }
    }

    /// The milliseconds of `plus-3d` or `minus-90m`.
    static func offset(_ part: some StringProtocol) -> Int64? {
        for (prefix, sign) in [("plus-", Int64(1)), ("minus-", -1)] where part.hasPrefix(prefix) {
            return (try? TimeSpan(String(part.dropFirst(prefix.count)))).map { sign * $0.milliseconds }
        }
        return nil
    }
}
