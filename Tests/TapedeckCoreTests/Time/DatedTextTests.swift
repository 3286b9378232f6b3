import TapedeckCore
import Testing

/// A moved date looks as the one before it did.
@Suite
struct DatedTextTests {
    private static let day: Int64 = 86_400_000

    @Test(
        arguments: [
            ("2026-11-30T23:59:58Z", "2026-12-01T23:59:58Z"), ("2026-11-30t23:59:58z", "2026-12-01t23:59:58z"),
            ("2026-12-31T23:59:58+05:30", "2027-01-01T23:59:58+05:30"), ("2024-02-28 10:00:00", "2024-02-29 10:00:00"),
            ("2026-11-30T23:59:58.1Z", "2026-12-01T23:59:58.1Z"), ("2026-11-30T10:00", "2026-12-01T10:00"),
            ("2026-11-30T23:59:58.123456789-0800", "2026-12-01T23:59:58.123456789-0800"),
            ("2026-11-30T10:00:00,5+02", "2026-12-01T10:00:00,5+02"), ("2026-11-30", "2026-12-01"),
            ("2026-11-30 10:00:00 UTC", "2026-12-01 10:00:00 UTC"),
            ("2026-11-30 10:00:00 +0200", "2026-12-01 10:00:00 +0200"),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "Monday, 07-Nov-94 08:49:37 GMT"),
            ("Sun Nov  6 08:49:37 1994", "Mon Nov  7 08:49:37 1994"),
            ("Wed Nov  9 08:49:37 1994", "Thu Nov 10 08:49:37 1994"),
            ("Wed Nov 30 08:49:37 1994", "Thu Dec  1 08:49:37 1994"),
            ("Wed, 30-Nov-1994 08:49:37 GMT", "Thu, 01-Dec-1994 08:49:37 GMT"),
            ("Fri, 31-Dec-99 23:59:59 GMT", "Sat, 01-Jan-00 23:59:59 GMT"),
            ("Mon, 9 Nov 2026 8:09:37 +0100", "Tue, 10 Nov 2026 8:09:37 +0100"),
            ("SUN, 06 NOV 1994 08:49:37 GMT", "MON, 07 NOV 1994 08:49:37 GMT"),
            ("30 April 2026 08:49:37", "01 May 2026 08:49:37"),
        ] as [(String, String)]
    )
    func movesADayInEveryShape(_ text: String, _ expected: String) throws {
        let date = try #require(DatedText(text))
        #expect(date.shifted(byMilliseconds: Self.day) == expected)
        #expect(date.shifted(byMilliseconds: 0) == text)
    }

    @Test(
        arguments: [
            ("2026-11-21T10:09:08Z", 1_500, "2026-11-21T10:09:09Z"),
            ("2026-11-21T10:09:08.9Z", 250, "2026-11-21T10:09:09.1Z"),
            ("2026-11-21T10:09:08.999999Z", 1, "2026-11-21T10:09:09.000999Z"),
            ("2026-01-01T00:00:00+01:00", -1, "2025-12-31T23:59:59+01:00"),
            ("2026-11-21", 36 * 3_600_000, "2026-11-22"), ("2026-11-21", -1, "2026-11-20"),
        ] as [(String, Int64, String)]
    )
    func digitsBeyondThePrecisionAreCutOff(_ text: String, _ milliseconds: Int64, _ expected: String) throws {
        #expect(try #require(DatedText(text)).shifted(byMilliseconds: milliseconds) == expected)
    }

    @Test(arguments: [
        "", "0", "-1", "1795255748", "2026", "2026-11", "20261121", "2026-02-30", "2026-11-21x", "2026-11-21T",
        "2026-11-21 10", "v2026-11-21", "10:09:08", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 CET",
        "on Sun, 06 Nov 1994 08:49:37 GMT", "Order 5 May be 2020 10:10:10", "5 Mayor 2020 10:10:10",
        "5/May/2020 10:10:10", "é 2026-11-21", "Sun, 31 Feb 1994 08:49:37 GMT", "2026-11-21T10:09:08+0100x",
    ])
    func textThatIsNotADateIsRejected(_ text: String) {
        #expect(DatedText(text) == nil)
    }

    @Test func aDateStaysWithinTheYearsOfItsFormat() throws {
        for text in ["Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"] {
            #expect(try #require(DatedText(text)).shifted(byMilliseconds: Self.day) == text)
        }
        #expect(try #require(DatedText("0000-01-01")).shifted(byMilliseconds: .min) == "0000-01-01")
        #expect(try #require(DatedText("2026-01-01")).shifted(byMilliseconds: .max) == "2026-01-01")
    }

    @Test func movingThereAndBackGivesTheSameText() throws {
        var random = SeededRandom(seed: 5)
        let shapes = [
            "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S.%f456", "%Y-%m-%dT%H:%M:%S.%f+09:30", "%a, %d %b %Y %H:%M:%S GMT",
            "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y", "%a, %d-%b-%Y %H:%M:%S GMT",
        ]
        for _ in 0..<150 {
            let instant = Instant(milliseconds: Int64.random(in: 0...3_000_000_000_000, using: &random))
            let shift = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random) * 1_000
            for shape in shapes where !shape.contains("%y") || instant.text(.date) < "2069" {
                let text = instant.text(.pattern(shape))
                let moved = try #require(DatedText(text), "\(text)").shifted(byMilliseconds: shift)
                #expect(moved == instant.advanced(byMilliseconds: shift).text(.pattern(shape)))
                #expect(shape.contains("%y") || DatedText(moved)?.shifted(byMilliseconds: -shift) == text)
            }
        }
    }

    @Test(
        arguments: [
            ("1795255748", 1_500, "1795255749"), ("1795255748.25", 1_500, "1795255749.75"),
            ("1795255748.123456", 1, "1795255748.124456"), ("1795255748007", 1_500, "1795255749507"),
            ("1795255748007.5", 1, "1795255748008.5"), ("1795255748.9", 100, "1795255749.0"), ("179525574", 1, nil),
            ("17952557480", 1, nil), ("-1795255748", 1, nil), ("1795255748.", 1, nil), ("1.795255748e9", 1, nil),
            ("2026-11-21", 1, nil), ("1795255748.1.2", 1, nil), ("1795255748", .min, "1795255748"), ("", 1, nil),
        ] as [(String, Int64, String?)]
    )
    func numbersMoveBySecondsOrMilliseconds(_ text: String, _ milliseconds: Int64, _ expected: String?) {
        #expect(DatedText.shiftedNumber(text, byMilliseconds: milliseconds) == expected)
    }
}
