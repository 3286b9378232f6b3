extension Instant {
    /// The instant in a format. A year beyond 9999 gets as many digits as it needs.
    package func text(_ format: TimeFormat) -> String {
        switch format {
        case .rfc3339: FixedDate.rfc3339(CivilTime(self)) ?? self.text(pattern: "%Y-%m-%dT%H:%M:%SZ")
        case .rfc3339Milliseconds: self.text(pattern: "%Y-%m-%dT%H:%M:%S.%fZ")
        case .http: FixedDate.http(CivilTime(self)) ?? self.text(pattern: "%a, %d %b %Y %H:%M:%S GMT")
        case .epochSeconds: String(self.seconds)
        case .epochMilliseconds: String(self.milliseconds)
        case .date: self.text(pattern: "%Y-%m-%d")
        case .pattern(let pattern): self.text(pattern: pattern)
        }
    }

    private func text(pattern: String) -> String {
        let civil = CivilTime(self)
        var text = ""
        var scalars = pattern.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "%" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            guard let directive = scalars.next() else { return text + "%" }
            text += self.text(directive: directive, civil: civil)
        }
        return text
    }

    private func text(directive: Unicode.Scalar, civil: CivilTime) -> String {
        switch directive {
        case "Y": civil.year.padded(4)
        case "y": (civil.year - civil.year.flooredQuotient(by: 100) * 100).padded(2)
        case "m": civil.month.padded(2)
        case "b": TimeNames.short(TimeNames.months[civil.month - 1])
        case "B": TimeNames.months[civil.month - 1]
        case "d": civil.day.padded(2)
        case "e": civil.day.padded(2, with: " ")
        case "j": civil.dayOfYear.padded(3)
        case "a": TimeNames.short(TimeNames.weekdays[civil.weekday])
        case "A": TimeNames.weekdays[civil.weekday]
        case "H": civil.hour.padded(2)
        case "I": ((civil.hour + 11) % 12 + 1).padded(2)
        case "p": civil.hour < 12 ? "AM" : "PM"
        case "M": civil.minute.padded(2)
        case "S": civil.second.padded(2)
        case "f": civil.millisecond.padded(3)
        case "s": String(self.seconds)
        case "z": "+0000"
        case "Z": "UTC"
        case "%": "%"
        default: "%\(directive)"
        }
    }
}

extension BinaryInteger {
    /// The number with at least `width` digits; a sign comes before them.
    func padded(_ width: Int, with filler: Character = "0") -> String {
        let digits = String(self.magnitude)
        let padding = String(repeating: filler, count: max(0, width - digits.utf8.count))
        return (self < 0 ? "-" : "") + padding + digits
    }
}
