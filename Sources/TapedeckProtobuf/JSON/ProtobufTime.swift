/// A `google.protobuf.Timestamp` or `google.protobuf.Duration`, with conversions to and from JSON.
struct ProtobufTime: Equatable {
    var seconds: Int64
    var nanos: Int32

    /// The years 1 to 9999.
    private static let timestampRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// About 10,000 years.
    private static let durationRange: ClosedRange<Int64> = -315_576_000_000...315_576_000_000

    init(seconds: Int64, nanos: Int32) {
        (self.seconds, self.nanos) = (seconds, nanos)
    }

    init(_ slots: MessageSlots) {
        func varint(_ number: Int) -> UInt64 {
            if case .varint(let value)? = slots[number]?.scalars.first { value } else { 0 }
        }
        self.seconds = Int64(bitPattern: varint(1))
        self.nanos = Int32(truncatingIfNeeded: varint(2))
    }

    /// The encoded message.
    var bytes: [UInt8] {
        var writer = WireWriter()
        if self.seconds != 0 { writer.field(1, varint: UInt64(bitPattern: self.seconds)) }
        if self.nanos != 0 { writer.field(2, varint: UInt64(bitPattern: Int64(self.nanos))) }
        return writer.bytes
    }

    // MARK: Durations

    /// The duration in JSON, such as `-1.500s`; `nil` if it is out of range, or if the signs of seconds and nanoseconds
    /// differ.
    var duration: String? {
        let hasOneSign = self.seconds == 0 || self.nanos == 0 || (self.seconds < 0) == (self.nanos < 0)
        guard Self.durationRange ~= self.seconds, self.nanos.magnitude < 1_000_000_000, hasOneSign else { return nil }
        let sign = self.seconds < 0 || self.nanos < 0 ? "-" : ""
        return "\(sign)\(self.seconds.magnitude)\(Self.fraction(self.nanos.magnitude))s"
    }

    init?(duration text: String) {
        let isNegative = text.hasPrefix("-")
        guard text.hasSuffix("s") else { return nil }
        let number = text.dropFirst(isNegative ? 1 : 0).dropLast()
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let seconds = Self.digits(parts[0]), Self.durationRange ~= seconds,
            let nanos = parts.count == 2 ? Self.nanos(parts[1]) : 0
        else { return nil }
        self.seconds = isNegative ? -seconds : seconds
        self.nanos = isNegative ? -nanos : nanos
    }

    // MARK: Timestamps

    /// The timestamp in JSON (RFC 3339, in UTC); `nil` outside the years 1 to 9999.
    var timestamp: String? {
        guard Self.timestampRange ~= self.seconds, 0..<1_000_000_000 ~= self.nanos else { return nil }
        let day = Int(self.seconds >= 0 ? self.seconds / 86_400 : (self.seconds - 86_399) / 86_400)
        let second = Int(self.seconds) - day * 86_400
        let (year, month, dayOfMonth) = Self.date(ofDay: day)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))"
        let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(date)T\(clock)\(Self.fraction(self.nanos.magnitude))Z"
    }

    init?(timestamp text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            Self.digits(Substring(decoding: bytes[range], as: UTF8.self)).map(Int.init)
        }
        let isFormed =
            bytes.count >= 20
            && [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")].allSatisfy {
                bytes[$0.0] == $0.1.utf8.first
            }
        guard isFormed, let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            1...12 ~= month, hour < 24, minute < 60, second < 60
        else { return nil }
        let dayNumber = Self.day(ofDate: year, month, day)
        guard year >= 1, Self.date(ofDay: dayNumber) == (year, month, day) else { return nil }
        // An optional fraction and the offset from UTC follow.
        var rest = text.utf8.dropFirst(19)
        self.nanos = 0
        if rest.first == 0x2E {
            let digits = rest.dropFirst().prefix { $0 &- 0x30 < 10 }
            guard let nanos = Self.nanos(Substring(digits)) else { return nil }
            self.nanos = nanos
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = Self.offset(Substring(rest)) else { return nil }
        self.seconds = Int64(dayNumber * 86_400 + hour * 3600 + minute * 60 + second - offset)
        guard Self.timestampRange ~= self.seconds else { return nil }
    }

    /// Parses `Z` or an offset such as `+01:00`. Returns seconds east of UTC.
    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard text.hasPrefix("+") || text.hasPrefix("-"), parts.count == 2, parts[0].utf8.count == 2,
            parts[1].utf8.count == 2, let hours = self.digits(parts[0]), let minutes = self.digits(parts[1]),
            hours < 24,
            minutes < 60
        else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * Int(hours * 3600 + minutes * 60)
    }

    // MARK: Digits

    /// Returns the fraction with zero, three, six or nine digits, as ProtoJSON requires.
    private static func fraction(_ nanos: UInt32) -> String {
        if nanos == 0 { return "" }
        if nanos % 1_000_000 == 0 { return "." + self.padded(Int(nanos) / 1_000_000, 3) }
        if nanos % 1000 == 0 { return "." + self.padded(Int(nanos) / 1000, 6) }
        return "." + self.padded(Int(nanos), 9)
    }

    /// Parses the one to nine digits of a fraction.
    private static func nanos(_ digits: Substring) -> Int32? {
        guard 1...9 ~= digits.utf8.count, var nanos = self.digits(digits) else { return nil }
        for _ in digits.utf8.count..<9 { nanos *= 10 }
        return Int32(nanos)
    }

    /// Parses up to twelve digits, without a sign.
    private static func digits(_ text: Substring) -> Int64? {
        guard 1...12 ~= text.utf8.count, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(text)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    // MARK: Days since 1970-01-01

    // Years start in March here, so that the leap day is the last day of a year. 400 years have 146,097 days.

    private static func day(ofDate year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
