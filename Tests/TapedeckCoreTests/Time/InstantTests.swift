import Testing

@testable import TapedeckCore

@Suite
struct InstantTests {
    private static let moment = Instant(milliseconds: 1_795_255_748_007)

    @Test(
        arguments: [
            (.rfc3339, "2026-11-21T10:09:08Z"), (.rfc3339Milliseconds, "2026-11-21T10:09:08.007Z"),
            (.http, "Sat, 21 Nov 2026 10:09:08 GMT"), (.epochSeconds, "1795255748"),
            (.epochMilliseconds, "1795255748007"), (.date, "2026-11-21"),
            (.pattern("%Y%m%d %H-%M-%S.%f %j"), "20261121 10-09-08.007 325"),
            (.pattern("%a %A %b %B %y %e %I %p"), "Sat Saturday Nov November 26 21 10 AM"),
            (.pattern("%z %Z %s 100%% é %Q %"), "+0000 UTC 1795255748 100% é %Q %"),
        ] as [(TimeFormat, String)]
    )
    func isWrittenInEveryFormat(_ format: TimeFormat, _ expected: String) {
        #expect(Self.moment.text(format) == expected)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
        ] as [(Int64, String)]
    )
    func knowsTheCalendar(_ seconds: Int64, _ expected: String) {
        #expect(Instant(seconds: seconds).rfc3339 == expected)
    }

    @Test(arguments: [(0, "12 AM"), (1, "01 AM"), (11, "11 AM"), (12, "12 PM"), (13, "01 PM"), (23, "11 PM")])
    func twelveHourClocksHaveNoHourZero(_ hour: Int64, _ expected: String) {
        #expect(Instant(seconds: hour * 3_600).text(.pattern("%I %p")) == expected)
    }

    @Test func everyDayFollowsTheOneBeforeIt() {
        var previous = CivilTime(Instant(seconds: -1_000 * 86_400))
        for day in -999...12_000 as ClosedRange<Int64> {
            let instant = Instant(seconds: day * 86_400)
            let civil = CivilTime(instant)
            let follows =
                civil.day == previous.day + 1 && civil.month == previous.month && civil.year == previous.year
                || civil.day == 1 && civil.month == previous.month + 1 && civil.year == previous.year
                || civil.day == 1 && civil.month == 1 && previous.month == 12 && civil.year == previous.year + 1
            let dayOfYear = civil.year == previous.year ? previous.dayOfYear + 1 : 1
            let weekday = (previous.weekday + 1) % 7
            if !follows || civil.instant != instant || civil.weekday != weekday || civil.dayOfYear != dayOfYear {
                Issue.record("\(civil) follows \(previous)")
            }
            previous = civil
        }
    }

    @Test func theUsualFormsAreThoseOfTheGeneralOnes() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<500 {
            let instant = Instant(
                milliseconds: Int64.random(in: -80_000_000_000_000...280_000_000_000_000, using: &random)
            )
            #expect(instant.text(.http) == instant.text(.pattern("%a, %d %b %Y %H:%M:%S GMT")))
            #expect(instant.text(.rfc3339) == instant.text(.pattern("%Y-%m-%dT%H:%M:%SZ")))
        }
    }

    @Test func anHTTPDateIsReadAsAnyWordedDate() {
        var random = SeededRandom(seed: 12)
        let text = Array("Sat, 21 Nov 2026 10:09:08 GMT".utf8)
        var read = 0
        for _ in 0..<3_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                bytes[place] = Array("0123456789 :,-SGMTNovDecFri".utf8).randomElement(using: &random) ?? 0
            }
            let date = WordedDate(bytes, isStrict: true)
            let expected = date.flatMap { $0.offset == 0 ? $0.instant : nil }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(Instant(httpDate: text) == expected, "\(text)")
            if expected != nil { read += 1 }
        }
        #expect((500..<2_900).contains(read), "some are to be dates, and \(read) were")
    }

    @Test func readsBackWhatItWrites() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: -11_000_000_000_000...253_402_300_799_999, using: &random)
            let instant = Instant(milliseconds: milliseconds)
            let whole = Instant(seconds: instant.seconds)
            #expect(Instant(rfc3339: instant.text(.rfc3339Milliseconds)) == instant)
            #expect(Instant(rfc3339: instant.rfc3339) == whole)
            #expect(Instant(httpDate: instant.text(.http)) == whole)
            #expect(Instant(cookieDate: instant.text(.http)) == whole)
        }
    }

    @Test(arguments: [Int64.min, .max, .min + 1, .max - 1])
    func theEndsOfTheRangeCanBeWrittenAndMoved(_ milliseconds: Int64) {
        let instant = Instant(milliseconds: milliseconds)
        #expect(CivilTime(instant).instant == instant)
        #expect(instant.rfc3339.hasSuffix("Z"))
        #expect(Instant(milliseconds: .max).advanced(byMilliseconds: milliseconds) >= Instant(milliseconds: -1))
        #expect(Instant(seconds: milliseconds).milliseconds.signum() == milliseconds.signum())
    }

    /// RFC 9110 section 5.6.7.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsTheThreeFormsOfHTTP(_ text: String) {
        #expect(Instant(httpDate: text) == Instant(seconds: 784_111_777))
    }

    @Test(
        arguments: [
            ("2026-11-21T10:09:08+01:00", 1_795_252_148_000), ("2026-11-21t10:09:08.5z", 1_795_255_748_500),
            ("2026-11-21 10:09:08-00:30", 1_795_257_548_000), ("2026-11-21T10:09:08.123456789Z", 1_795_255_748_123),
            ("1990-12-31T23:59:60Z", 662_688_000_000), ("2026-11-21", nil), ("2026-11-21T10:09:08", nil),
            ("2026-11-21T10:09Z", nil), ("2026-02-29T00:00:00Z", nil), ("2026-11-21T24:00:00Z", nil),
            ("2026-13-01T00:00:00Z", nil), ("2026-11-21T10:09:08.Z", nil), ("2026-11-21T10:09:08Zx", nil),
            ("2026-11-21T10:09:08+1:00", nil), ("2026-11-21T10:09:08+25:00", nil), ("", nil), ("é", nil),
        ] as [(String, Int64?)]
    )
    func readsRFC3339AndRejectsOtherText(_ text: String, _ milliseconds: Int64?) {
        #expect(Instant(rfc3339: text)?.milliseconds == milliseconds)
    }

    /// RFC 6265 section 5.1.1.
    @Test(
        arguments: [
            ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894), ("Wed, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
            ("Thu, 01-Jan-1970 00:00:01 GMT", 1), ("10:18:14 june 9x 2021", 1_623_233_894),
            ("9/Jun/2021 at 10:18:14foo", 1_623_233_894), ("Wed, 09 Jun 69 10:18:14 GMT", 3_137_998_694),
            ("Wed, 09 Jun 70 10:18:14 GMT", 13_774_694), ("Wed, 09 Jun 1600 10:18:14 GMT", nil),
            ("Wed, 31 Jun 2021 10:18:14 GMT", nil), ("Wed, 09 Jun 2021", nil), ("0", nil), ("-1", nil),
            ("Wed, 09 Jun 2021 24:18:14 GMT", nil),
        ] as [(String, Int64?)]
    )
    func readsCookieDatesAsLenientlyAsBrowsers(_ text: String, _ seconds: Int64?) {
        #expect(Instant(cookieDate: text) == seconds.map(Instant.init(seconds:)))
    }
}
