/// A date with the name of its month: the three forms of HTTP (RFC 9110 section 5.6.7), of cookies and of mail.
///
/// It is read as RFC 6265 section 5.1.1 reads cookie dates: words in any order, each used as the first thing that it
/// can be. Strictly, there may be no other text, every word must be complete, and an offset as in mail (`+0100`)
/// counts.
struct WordedDate {
    private(set) var pieces: [DatePiece] = []
    private(set) var offset: Int64 = 0
    private(set) var instant = Instant(milliseconds: 0)

    private let isStrict: Bool
    private var time: [Int]?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    init?(_ bytes: [UInt8], isStrict: Bool) {
        self.isStrict = isStrict
        guard (10...(isStrict ? 64 : 256)).contains(bytes.count) else { return nil }
        var index = 0
        while index < bytes.count {
            let gap = bytes[index...].prefix { Self.isDelimiter($0) }
            index += gap.count
            let word = bytes[index...].prefix { !Self.isDelimiter($0) }
            index += word.count
            guard self.take(String(decoding: word, as: UTF8.self), Array(word), gap: Array(gap)) else { return nil }
        }
        guard let time = self.time, let day = self.day, let month = self.month, var year = self.year else { return nil }
        // RFC 6265 section 5.1.1; RFC 9110's "not more than 50 years ahead" needs a clock.
        if year < 100 { year += year >= 70 ? 1_900 : 2_000 }
        guard year >= 1_601,
            let civil = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: time[0],
                minute: time[1],
                second: time[2]
            )
        else { return nil }
        self.instant = civil.instant.advanced(byMilliseconds: -self.offset)
    }

    /// Interprets one word with the text before it. Returns `false` if the text cannot be a date.
    private mutating func take(_ word: String, _ bytes: [UInt8], gap: [UInt8]) -> Bool {
        guard !self.isStrict || gap.allSatisfy({ " ,-+".utf8.contains($0) }) else { return false }
        var gap = gap
        var pieces: [DatePiece] = [.text(word)]
        if bytes.isEmpty {
            // White space at the end.
        } else if self.time == nil, let time = self.clock(bytes) {
            self.time = time
            let hourDigits = bytes.prefix { $0 != ASCII.colon }.count
            pieces = [.hour(digits: hourDigits), .text(":"), .minute, .text(":"), .second]
        } else if self.day == nil, let day = self.number(bytes, digits: 1...2) {
            self.day = day
            // The day of asctime follows the month and is two characters wide: `Nov  6`, `Nov 16`.
            let isSpaced = self.month != nil && self.time == nil && Self.isSpaced(bytes, gap: gap)
            if isSpaced, bytes.count == 1 { gap.removeLast() }
            pieces = [.day(digits: isSpaced ? 2 : bytes.count, isSpaced: isSpaced)]
        } else if self.month == nil, let (month, isShort) = self.monthName(word) {
            self.month = month
            pieces = [.monthName(DatePiece.NameStyle(word, isShort: isShort))]
        } else if self.year == nil, let year = self.number(bytes, digits: 2...4), !self.isStrict || bytes.count != 3 {
            self.year = year
            pieces = [.year(digits: bytes.count)]
        } else if self.isStrict {
            guard let piece = self.weekdayOrZone(word, bytes, gap: gap) else { return false }
            pieces = [piece]
        }
        if self.isStrict {
            self.pieces.append(.text(String(decoding: gap, as: UTF8.self)))
            self.pieces += pieces
        }
        return true
    }

    private mutating func weekdayOrZone(_ word: String, _ bytes: [UInt8], gap: [UInt8]) -> DatePiece? {
        if let (_, isShort) = TimeNames.find(word, among: TimeNames.weekdays) {
            return .weekday(DatePiece.NameStyle(word, isShort: isShort))
        }
        guard self.time != nil else { return nil }
        if ["GMT", "UTC", "UT", "Z"].contains(word) { return .text(word) }
        guard let sign = gap.last, "+-".utf8.contains(sign), self.offset == 0,
            let number = self.number(bytes, digits: 4...4), number / 100 <= 23, number % 100 <= 59
        else { return nil }
        self.offset = Int64(number / 100 * 60 + number % 100) * (sign == UInt8(ascii: "-") ? -60_000 : 60_000)
        return .text(word)
    }

    /// Hour, minute and second: `8:49:37`; leniently, anything but a digit may follow.
    private func clock(_ bytes: [UInt8]) -> [Int]? {
        let parts = bytes.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[0].allSatisfy(Self.isDigit),
            parts[1].count <= 2, parts[1].allSatisfy(Self.isDigit),
            !self.isStrict || parts[1].count == 2 && parts[2].count == 2,
            let hour = self.number(Array(parts[0]), digits: 1...2),
            let minute = self.number(Array(parts[1]), digits: 1...2),
            let second = self.number(Array(parts[2]), digits: 1...2)
        else { return nil }
        return [hour, minute, second]
    }

    private func monthName(_ word: String) -> (month: Int, isShort: Bool)? {
        let name = self.isStrict ? word : String(word.prefix(3))
        return TimeNames.find(name, among: TimeNames.months).map { ($0.index + 1, $0.isShort) }
    }

    /// Returns the number of the leading digits; strictly, nothing may follow them.
    private func number(_ bytes: [UInt8], digits: ClosedRange<Int>) -> Int? {
        let front = bytes.prefix { Self.isDigit($0) }
        guard digits.contains(front.count), !self.isStrict || front.count == bytes.count else { return nil }
        return front.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Returns true if a day after the name of its month is padded with a space: ` 6` or `16`, but not `06`.
    private static func isSpaced(_ day: [UInt8], gap: [UInt8]) -> Bool {
        day.count == 2 ? day.first != UInt8(ascii: "0") : gap.suffix(2) == [ASCII.space, ASCII.space]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// RFC 6265 section 5.1.1: a tab, and every visible sign but letters, digits and the colon.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

extension Instant {
    /// Parses an RFC 3339 date and time: seconds and offset are required, a fraction is optional, and a space may
    /// replace the `T` (RFC 3339 section 5.6). Digits beyond milliseconds are cut off.
    package init?(rfc3339 text: String) {
        guard let date = NumericDate(Array(text.utf8)), date.hasSeconds, date.hasZone else { return nil }
        self = date.instant
    }

    /// The instant of an HTTP date, in any of its three forms (RFC 9110 section 5.6.7).
    package init?(httpDate text: String) {
        if let instant = FixedDate.instant(http: text) {
            self = instant
            return
        }
        guard let date = WordedDate(Array(text.utf8), isStrict: true), date.offset == 0 else { return nil }
        self = date.instant
    }

    /// The instant of the `Expires` attribute of a cookie, as leniently as RFC 6265 section 5.1.1 wants it.
    package init?(cookieDate text: String) {
        guard let date = WordedDate(Array(text.utf8), isStrict: false) else { return nil }
        self = date.instant
    }
}
