/// An instant as calendar and clock show it in UTC: proleptic Gregorian calendar, days of 24 hours.
package struct CivilTime: Sendable, Hashable {
    private static let millisecondsPerDay: Int64 = 86_400_000
    /// From 0000-03-01, where the years of the algorithm begin, to 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468

    package let year: Int64
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int

    package init(_ instant: Instant) {
        // Howard Hinnant's days-to-civil: the calendar repeats every 400 years of 146,097 days, counted from March.
        let days = instant.milliseconds.flooredQuotient(by: Self.millisecondsPerDay)
        // The first day of the range begins before it, so the product may wrap around; the difference is right again.
        let time = Int(instant.milliseconds &- days &* Self.millisecondsPerDay)
        let shifted = days + Self.daysBefore1970
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        self.month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
        self.hour = time / 3_600_000
        self.minute = time / 60_000 % 60
        self.second = time / 1_000 % 60
        self.millisecond = time % 1_000
    }

    /// `nil` for a day or a time that no calendar or clock shows. A leap second (60) counts as the second after it.
    /// Years are 0 to 9999.
    package init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int = 0,
        minute: Int = 0,
        second: Int = 0,
        millisecond: Int = 0
    ) {
        guard (0...9_999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), (0...999).contains(millisecond)
        else { return nil }
        let days = Self.days(year: Int64(year), month: Int64(month), day: Int64(day))
        let time = Int64(((hour * 60 + minute) * 60 + second) * 1_000 + millisecond)
        self.init(Instant(milliseconds: days * Self.millisecondsPerDay + time))
    }

    package var instant: Instant {
        let days = Self.days(year: self.year, month: Int64(self.month), day: Int64(self.day))
        let time = ((self.hour * 60 + self.minute) * 60 + self.second) * 1_000 + self.millisecond
        // Right also where the product alone would be beyond the range.
        return Instant(milliseconds: days &* Self.millisecondsPerDay &+ Int64(time))
    }

    /// 0 is Sunday.
    package var weekday: Int {
        let days = Self.days(year: self.year, month: Int64(self.month), day: Int64(self.day))
        // 1970-01-01 was a Thursday.
        let weeks = (days + 4).flooredQuotient(by: 7)
        return Int(days + 4 - weeks * 7)
    }

    /// 1 is the first of January.
    package var dayOfYear: Int {
        let days = Self.days(year: self.year, month: Int64(self.month), day: Int64(self.day))
        return Int(days - Self.days(year: self.year, month: 1, day: 1)) + 1
    }

    /// Howard Hinnant's days-from-civil: days since 1970-01-01.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.flooredQuotient(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - self.daysBefore1970
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// English names of days and months, the only ones that HTTP knows.
enum TimeNames {
    /// From Sunday on, as ``CivilTime/weekday`` counts.
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    /// January first.
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// The first three letters, as HTTP dates have them.
    static func short(_ name: String) -> String { String(name.prefix(3)) }

    /// The place of a name among `names`, and whether it is the short form; case does not matter.
    static func find(_ word: String, among names: [String]) -> (index: Int, isShort: Bool)? {
        for (index, name) in names.enumerated() {
            if ASCII.equalsIgnoringCase(word, self.short(name)) { return (index, true) }
            if ASCII.equalsIgnoringCase(word, name) { return (index, false) }
        }
        return nil
    }
}
