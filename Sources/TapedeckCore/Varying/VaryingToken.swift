/// A piece of a text, as far as it may differ from run to run.
enum VaryingToken: Equatable {
    /// A byte that is part of no other token.
    case separator(UInt8)
    /// Letters, digits, `_` and `-`.
    case word(ArraySlice<UInt8>)
    case uuid(ArraySlice<UInt8>)
    /// A point in time in any written form.
    case time(Moment)
    /// A host and a port of this machine.
    case local(ArraySlice<UInt8>)

    /// True for a text that is a UUID and nothing else.
    static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        var index = 0
        return text.utf8.allSatisfy { byte in
            defer { index += 1 }
            switch index {
            case 8, 13, 18, 23: return byte == 0x2D
            default: return ASCII.hexValue(byte) != nil
            }
        }
    }

    struct Moment: Equatable {
        enum Precision: Int {
            /// The month, the week or the hour in which the instant is the first.
            case month
            case week
            case hour
            case day
            case minute
            case second
        }

        var instant: Instant
        /// Of `03/04/2026`, which is a day of April or of March.
        var otherReading: Instant?
        var precision: Precision
        /// True if it says its distance to UTC.
        var hasZone = true
        /// Equal for times that are written alike.
        var style: String
        /// As it was written.
        var text: ArraySlice<UInt8> = []

        /// The style of a time of day without a date.
        static let clockAlone = "clock"
        /// The beginning of the styles of days without a year.
        static let yearless = "yearless "

        /// A day without a year, in the year in which it is next to an instant.
        func inTheYear(of run: Instant) -> Moment {
            let civil = CivilTime(self.instant)
            let year = Int(CivilTime(run).year)
            let days = (year - 1...year + 1).compactMap {
                CivilTime(year: $0, month: civil.month, day: civil.day)?.instant
            }
            var moment = self
            moment.instant =
                days.min { abs($0.milliseconds - run.milliseconds) < abs($1.milliseconds - run.milliseconds) }
                ?? self.instant
            return moment
        }

        /// A time of day next to an instant, as the clock of a zone shows it.
        func onTheDay(of run: Instant, zone: Int) -> Moment {
            let day: Int64 = 86_400_000
            let now = run.milliseconds + Int64(zone) * 60_000
            let start = now.flooredQuotient(by: day) * day
            let days = [start - day, start, start + day].map { $0 + self.instant.milliseconds }
            var moment = self
            moment.instant = Instant(milliseconds: days.min { abs($0 - now) < abs($1 - now) } ?? start)
            return moment
        }
    }

    static func all(of text: [UInt8]) -> [VaryingToken] {
        var scanner = VaryingScanner(text)
        return scanner.tokens()
    }
}

/// Splits a text into tokens. Which token begins where does not depend on the digits and letters that chance gave a value.
private struct VaryingScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func tokens() -> [VaryingToken] {
        var tokens: [VaryingToken] = []
        while self.index < self.bytes.count {
            if let token = self.uuid() ?? self.time() ?? self.local() {
                tokens.append(token)
                continue
            }
            let end = self.endOfWord()
            if end == self.index {
                tokens.append(.separator(self.bytes[self.index]))
                self.index += 1
            } else {
                tokens.append(.word(self.bytes[self.index..<end]))
                self.index = end
            }
        }
        return tokens
    }

    /// A word ends where a UUID or a time begins behind a hyphen or an underscore: `run-2f1c…`, `backup_2026-11-28`.
    private func endOfWord() -> Int {
        var end = self.index
        while end < self.bytes.count, Self.isInWord(self.bytes[end]) {
            if end > self.index, "-_".utf8.contains(self.bytes[end - 1]) {
                var rest = self
                rest.index = end
                if rest.uuid() != nil || rest.time() != nil { break }
            }
            end += 1
        }
        return end
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        Self.isDigit(byte) || Self.isLetter(byte) || byte == 0x5F || byte == 0x2D || byte >= 0x80
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// True if a letter or digit follows.
    private func continues(at index: Int) -> Bool {
        index < self.bytes.count && (Self.isDigit(self.bytes[index]) || Self.isLetter(self.bytes[index]))
    }

    private func number(_ digits: Int, at index: Int) -> Int? {
        guard index + digits <= self.bytes.count else { return nil }
        let text = self.bytes[index..<(index + digits)]
        guard text.allSatisfy(Self.isDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private func has(_ byte: UInt8, at index: Int) -> Bool { index < self.bytes.count && self.bytes[index] == byte }

    private mutating func uuid() -> VaryingToken? {
        var end = self.index
        for (number, count) in [8, 4, 4, 4, 12].enumerated() {
            if number > 0 {
                guard self.has(0x2D, at: end) else { return nil }
                end += 1
            }
            guard end + count <= self.bytes.count,
                self.bytes[end..<(end + count)].allSatisfy({ ASCII.hexValue($0) != nil })
            else { return nil }
            end += count
        }
        guard !self.continues(at: end) else { return nil }
        defer { self.index = end }
        return .uuid(self.bytes[self.index..<end])
    }

    /// `127.0.0.1:41153`, `localhost:8080`, `[::1]:8080`.
    private mutating func local() -> VaryingToken? {
        guard
            let host = ["127.0.0.1:", "localhost:", "[::1]:"].first(where: {
                self.bytes[self.index...].starts(with: $0.utf8)
            })
        else { return nil }
        let port = self.bytes[(self.index + host.utf8.count)...].prefix(while: Self.isDigit)
        guard (1...5).contains(port.count), !self.continues(at: port.endIndex) else { return nil }
        defer { self.index = port.endIndex }
        return .local(self.bytes[self.index..<port.endIndex])
    }

    // MARK: Times

    private mutating func time() -> VaryingToken? {
        guard
            case (var moment, let end)? = self.dashed() ?? self.week() ?? self.month() ?? self.compact()
                ?? self.epoch() ?? self.worded() ?? self.dayFirst() ?? self.clockAlone(),
            !self.continues(at: end)
        else { return nil }
        moment.text = self.bytes[self.index..<end]
        self.index = end
        return .time(moment)
    }

    /// `2026-11-28`, `2026/11/28`, and with a clock behind `T` or a space.
    private func dashed() -> (VaryingToken.Moment, Int)? {
        let start = self.index
        guard let year = self.number(4, at: start), (1_970...2_200).contains(year), start + 4 < self.bytes.count else {
            return nil
        }
        let mark = self.bytes[start + 4]
        guard mark == 0x2D || mark == ASCII.slash || mark == 0x2E, let month = self.number(2, at: start + 5),
            self.has(mark, at: start + 7), let day = self.number(2, at: start + 8)
        else { return nil }
        let end = start + 10
        let between = end < self.bytes.count ? self.bytes[end] : 0
        if between == 0x54 || between == 0x74 || between == ASCII.space, let clock = self.clock(at: end + 1) {
            guard
                let civil = CivilTime(
                    year: year,
                    month: month,
                    day: day,
                    hour: clock.hour,
                    minute: clock.minute,
                    second: clock.second
                )
            else { return nil }
            let instant = civil.instant.advanced(byMilliseconds: -clock.offset)
            let precision: VaryingToken.Moment.Precision = clock.hasSeconds ? .second : .minute
            let zone = clock.hasZone ? "" : " local"
            let moment = VaryingToken.Moment(
                instant: instant,
                precision: precision,
                hasZone: clock.hasZone,
                style: "\(mark) \(between)\(zone)"
            )
            return (moment, clock.end)
        }
        // `2026-11-28_181058`, as names of files have it.
        if [0x54, 0x2D, 0x5F].contains(between), let hour = self.number(2, at: end + 1),
            let minute = self.number(2, at: end + 3), let second = self.number(2, at: end + 5),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        {
            let style = "\(mark) \(between) compact local"
            return (
                VaryingToken.Moment(instant: civil.instant, precision: .second, hasZone: false, style: style), end + 7
            )
        }
        // `2026-11-28T18`, the hour.
        if between == 0x54, let hour = self.number(2, at: end + 1), !self.continues(at: end + 3),
            !self.has(ASCII.colon, at: end + 3),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour)
        {
            let style = "\(mark) \(between) hour"
            return (
                VaryingToken.Moment(instant: civil.instant, precision: .hour, hasZone: false, style: style), end + 3
            )
        }
        // `2026-11-28_18-10-58`, as names of files have it.
        if mark == 0x2D, [0x54, 0x2D, 0x5F, ASCII.space].contains(between), let hour = self.number(2, at: end + 1),
            self.has(mark, at: end + 3), let minute = self.number(2, at: end + 4), self.has(mark, at: end + 6),
            let second = self.number(2, at: end + 7),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        {
            let style = "\(mark) \(between) \(mark) local"
            return (
                VaryingToken.Moment(instant: civil.instant, precision: .second, hasZone: false, style: style), end + 9
            )
        }
        guard let civil = CivilTime(year: year, month: month, day: day) else { return nil }
        return (VaryingToken.Moment(instant: civil.instant, precision: .day, style: "\(mark)"), end)
    }

    /// `2026-W48`, a week of ISO 8601.
    private func week() -> (VaryingToken.Moment, Int)? {
        let start = self.index
        guard let year = self.number(4, at: start), (1_970...2_200).contains(year) else { return nil }
        let mark = self.has(0x2D, at: start + 4) ? 1 : 0
        guard self.has(0x57, at: start + 4 + mark), let week = self.number(2, at: start + 5 + mark),
            (1...53).contains(week), let january = CivilTime(year: year, month: 1, day: 4)
        else { return nil }
        // The first week is the one with 4 January, and begins on a Monday.
        let days = (week - 1) * 7 - (january.weekday + 6) % 7
        let monday = january.instant.advanced(byMilliseconds: Int64(days) * 86_400_000)
        let moment = VaryingToken.Moment(instant: monday, precision: .week, hasZone: false, style: "week \(mark)")
        return (moment, start + 7 + mark)
    }

    /// `2026-11`, a month.
    private func month() -> (VaryingToken.Moment, Int)? {
        let start = self.index
        guard let year = self.number(4, at: start), (1_970...2_200).contains(year), self.has(0x2D, at: start + 4),
            let month = self.number(2, at: start + 5), !self.has(0x2D, at: start + 7),
            let civil = CivilTime(year: year, month: month, day: 1)
        else { return nil }
        let moment = VaryingToken.Moment(instant: civil.instant, precision: .month, hasZone: false, style: "month")
        return (moment, start + 7)
    }

    /// `28.11.2026`, `28/11/2026`, and `11/28/2026`.
    private func dayFirst() -> (VaryingToken.Moment, Int)? {
        let start = self.index
        guard let first = self.number(2, at: start), start + 2 < self.bytes.count else { return nil }
        let mark = self.bytes[start + 2]
        guard mark == 0x2E || mark == ASCII.slash, let second = self.number(2, at: start + 3),
            self.has(mark, at: start + 5), let year = self.number(4, at: start + 6), (1_970...2_200).contains(year)
        else { return nil }
        let day = CivilTime(year: year, month: second, day: first)?.instant
        let american = mark == ASCII.slash ? CivilTime(year: year, month: first, day: second)?.instant : nil
        guard let either = day ?? american else { return nil }
        let moment = VaryingToken.Moment(
            instant: day ?? either,
            otherReading: american ?? either,
            precision: .day,
            style: "day first \(mark)"
        )
        return (moment, start + 10)
    }

    private struct Clock {
        var hour: Int
        var minute: Int
        var second = 0
        var hasSeconds = false
        var offset: Int64 = 0
        var hasZone = false
        var end: Int
    }

    /// `18:10`, `18:10:58`, `18:10:58.123`, with or without a zone.
    private func clock(at start: Int) -> Clock? {
        guard let hour = self.number(2, at: start), hour < 24, self.has(ASCII.colon, at: start + 2),
            let minute = self.number(2, at: start + 3), minute < 60
        else { return nil }
        var clock = Clock(hour: hour, minute: minute, end: start + 5)
        if self.has(ASCII.colon, at: clock.end), let second = self.number(2, at: clock.end + 1), second < 60 {
            (clock.second, clock.hasSeconds) = (second, true)
            clock.end += 3
            if self.has(0x2E, at: clock.end) || self.has(ASCII.comma, at: clock.end) {
                let digits = self.bytes[(clock.end + 1)...].prefix(while: Self.isDigit)
                if !digits.isEmpty { clock.end = digits.endIndex }
            }
        }
        if self.has(0x5A, at: clock.end) || self.has(0x7A, at: clock.end) {
            clock.end += 1
            clock.hasZone = true
        } else if self.has(0x2B, at: clock.end) || self.has(0x2D, at: clock.end),
            let hours = self.number(2, at: clock.end + 1)
        {
            let isNegative = self.has(0x2D, at: clock.end)
            let colon = self.has(ASCII.colon, at: clock.end + 3) ? 1 : 0
            if let minutes = self.number(2, at: clock.end + 3 + colon) {
                clock.offset = Int64(hours * 60 + minutes) * (isNegative ? -60_000 : 60_000)
                clock.end += 5 + colon
                clock.hasZone = true
            }
        }
        return clock
    }

    /// `18:10` and `18:10:58` with no date in front of them.
    private func clockAlone() -> (VaryingToken.Moment, Int)? {
        let before = self.index > 0 ? self.bytes[self.index - 1] : ASCII.space
        guard !Self.isDigit(before), !Self.isLetter(before), !":.-_".utf8.contains(before),
            let clock = self.clock(at: self.index), !clock.hasZone, !self.has(ASCII.colon, at: clock.end)
        else { return nil }
        let seconds = Int64((clock.hour * 60 + clock.minute) * 60 + clock.second)
        let moment = VaryingToken.Moment(
            instant: Instant(milliseconds: seconds * 1_000),
            precision: clock.hasSeconds ? .second : .minute,
            hasZone: false,
            style: VaryingToken.Moment.clockAlone
        )
        return (moment, clock.end)
    }

    /// `20261128T181058Z`, `20261128181058`, `20261128`.
    private func compact() -> (VaryingToken.Moment, Int)? {
        let start = self.index
        guard let year = self.number(4, at: start), (2_000...2_100).contains(year),
            let month = self.number(2, at: start + 4), let day = self.number(2, at: start + 6)
        else { return nil }
        let end = start + 8
        let mark = [0x54, 0x2D, 0x5F].contains { self.has($0, at: end) } ? 1 : 0
        if let hour = self.number(2, at: end + mark), let minute = self.number(2, at: end + mark + 2),
            let second = self.number(2, at: end + mark + 4),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        {
            let last = end + mark + 6
            let zone = self.has(0x5A, at: last) ? 1 : 0
            return (
                VaryingToken.Moment(
                    instant: civil.instant,
                    precision: .second,
                    hasZone: zone == 1,
                    style: "compact \(mark) \(zone)"
                ),
                last + zone
            )
        }
        guard let civil = CivilTime(year: year, month: month, day: day) else { return nil }
        return (VaryingToken.Moment(instant: civil.instant, precision: .day, style: "compact"), end)
    }

    /// Seconds, milliseconds, microseconds or nanoseconds since 1970, in the years 2001 to 2100.
    private func epoch() -> (VaryingToken.Moment, Int)? {
        let digits = self.bytes[self.index...].prefix(while: Self.isDigit)
        // Of seconds, milliseconds, microseconds and nanoseconds.
        guard [10, 13, 16, 19].contains(digits.count), let value = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let milliseconds: Int64 =
            switch digits.count {
            case 10: value * 1_000
            case 13: value
            case 16: value / 1_000
            default: value / 1_000_000
            }
        let instant = Instant(milliseconds: milliseconds)
        guard (1_000_000_000_000...4_102_444_800_000).contains(instant.milliseconds) else { return nil }
        var end = digits.endIndex
        if self.has(0x2E, at: end) {
            let fraction = self.bytes[(end + 1)...].prefix(while: Self.isDigit)
            if !fraction.isEmpty { end = fraction.endIndex }
        }
        return (VaryingToken.Moment(instant: instant, precision: .second, style: "epoch \(digits.count)"), end)
    }

    /// `Friday, 28 November 2026`, `Nov 28, 2026`, `Sat, 28 Nov 2026 18:10:58 GMT`.
    private func worded() -> (VaryingToken.Moment, Int)? {
        var index = self.index
        var style = ""
        func skipGap(_ index: inout Int) {
            while index < self.bytes.count, " ,".utf8.contains(self.bytes[index]) { index += 1 }
        }
        func name(_ names: [String], at index: Int) -> (number: Int, end: Int)? {
            let word = self.bytes[index...].prefix(while: Self.isLetter)
            guard word.count >= 3,
                let found = TimeNames.find(String(decoding: word, as: UTF8.self), among: names)
            else { return nil }
            return (found.index, word.endIndex)
        }
        func day(at index: Int) -> (number: Int, end: Int)? {
            for digits in [2, 1] {
                guard let number = self.number(digits, at: index), (1...31).contains(number) else { continue }
                var end = index + digits
                let suffix = self.bytes[end...].prefix(2)
                if ["st", "nd", "rd", "th"].contains(String(decoding: suffix, as: UTF8.self)) { end += 2 }
                return self.continues(at: end) ? nil : (number, end)
            }
            return nil
        }
        // Behind the last of them, for a day without a year.
        var endOfDay = index
        if let weekday = name(TimeNames.weekdays, at: index) {
            style += "weekday "
            index = weekday.end
            skipGap(&index)
        }
        var month: Int?
        var number: Int?
        if let first = day(at: index) {
            number = first.number
            index = first.end
            endOfDay = index
            skipGap(&index)
            style += "day "
        }
        if let found = name(TimeNames.months, at: index) {
            month = found.number + 1
            index = found.end
            endOfDay = index
            skipGap(&index)
            style += "month "
        }
        if number == nil, month != nil, let second = day(at: index) {
            number = second.number
            index = second.end
            endOfDay = index
            skipGap(&index)
            style += "day "
        }
        // `Sat Nov 28 18:10:58 2026`, as `ctime` has it.
        var early: Clock?
        if let clock = self.clock(at: index), !clock.hasZone {
            early = clock
            index = clock.end
            skipGap(&index)
            style += "early "
        }
        guard let number, let month, let year = self.number(4, at: index), (1_970...2_200).contains(year) else {
            guard let number, let month, early == nil, let day = CivilTime(year: 2_024, month: month, day: number)
            else {
                return nil
            }
            let style = VaryingToken.Moment.yearless + style
            return (VaryingToken.Moment(instant: day.instant, precision: .day, style: style), endOfDay)
        }
        index += 4
        let afterDate = index
        if early == nil { skipGap(&index) }
        if let clock = early ?? self.clock(at: index),
            let civil = CivilTime(
                year: year,
                month: month,
                day: number,
                hour: clock.hour,
                minute: clock.minute,
                second: clock.second
            )
        {
            var end = early == nil ? clock.end : afterDate
            var (hasZone, offset) = (clock.hasZone, clock.offset)
            for zone in [" GMT", " UTC"] where self.bytes[end...].starts(with: zone.utf8) {
                end += 4
                hasZone = true
            }
            // `+0100` of RFC 5322, and `GMT+0100 (Central European Standard Time)` of JavaScript.
            let sign = end + (clock.hasZone || hasZone ? 0 : 1)
            if !clock.hasZone, sign == end || self.has(ASCII.space, at: end),
                self.has(0x2B, at: sign) || self.has(0x2D, at: sign), let hours = self.number(2, at: sign + 1),
                let minutes = self.number(2, at: sign + 3)
            {
                offset = Int64(hours * 60 + minutes) * (self.has(0x2D, at: sign) ? -60_000 : 60_000)
                (end, hasZone) = (sign + 5, true)
                if self.bytes[end...].starts(with: " (".utf8),
                    let close = self.bytes[end...].prefix(64).firstIndex(of: 0x29)
                {
                    end = close + 1
                }
            }
            let moment = VaryingToken.Moment(
                instant: civil.instant.advanced(byMilliseconds: -offset),
                precision: clock.hasSeconds ? .second : .minute,
                hasZone: hasZone,
                style: style + (hasZone ? "clock" : "clock local")
            )
            return (moment, end)
        }
        guard let civil = CivilTime(year: year, month: month, day: number) else { return nil }
        return (VaryingToken.Moment(instant: civil.instant, precision: .day, style: style), afterDate)
    }
}
