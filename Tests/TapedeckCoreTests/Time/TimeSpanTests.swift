import TapedeckCore
import Testing

@Suite
struct TimeSpanTests {
    @Test(
        arguments: [
            ("200ms", 200, "200ms"), ("2s", 2_000, "2s"), ("1.5s", 1_500, "1.5s"), ("2m", 120_000, "2m"),
            ("1h", 3_600_000, "1h"), ("3d", 259_200_000, "3d"), ("1w", 604_800_000, "1w"), ("0", 0, "0"),
            ("0s", 0, "0"), ("0.0", 0, "0"), ("0.2s", 200, "200ms"), ("90s", 90_000, "90s"), ("7d", 604_800_000, "1w"),
            ("60s", 60_000, "1m"), ("1.001s", 1_001, "1.001s"), ("1.50000000000000000000000s", 1_500, "1.5s"),
            ("0.0005m", 30, "30ms"), ("36h", 129_600_000, "36h"), ("1.0ms", 1, "1ms"), ("007s", 7_000, "7s"),
        ] as [(String, Int64, String)]
    )
    func readsNumbersWithUnits(_ text: String, _ milliseconds: Int64, _ shortest: String) throws {
        let span = try TimeSpan(text)
        #expect(span.milliseconds == milliseconds)
        #expect(span.description == shortest)
    }

    @Test(
        arguments: [
            ("2", "write 2s or 2ms"), ("1.5", "write 1.5s or 1.5ms"), ("", "no length of time"),
            ("s", "no length of time"),
            ("1.s", "no length of time"), (".5s", "no length of time"), ("1.2.3s", "no length of time"),
            ("2 s", "the units are"), ("2y", "the units are"), ("2S", "the units are"), ("-2s", "negative"),
            ("0.5ms", "finer than a millisecond"), ("99999999999999999999s", "too long"),
            ("15250284453w", "too long"), ("٣s", "no length of time"), ("5\u{308}s", "no length of time"),
            ("1h30m", "the units are"), ("--2s", "no length of time"),
        ] as [(String, String)]
    )
    func reportsInvalidTextWithARemedy(_ text: String, _ message: String) throws {
        let problem = try #require(throws: TimeSpan.Problem.self) { try TimeSpan(text) }
        #expect(problem.description.contains(message), "\(problem)")
    }

    @Test func aNegativeSpanIsReadWhereAllowed() throws {
        #expect(try TimeSpan("-1.5s", allowsNegative: true) == TimeSpan(milliseconds: -1_500))
        #expect(TimeSpan(milliseconds: -1_500).description == "-1.5s")
    }

    @Test func readsBackWhatItWrites() throws {
        var random = SeededRandom(seed: 11)
        let units: [Int64] = [1, 10, 100, 500, 1_000, 60_000, 90_000, 3_600_000, 86_400_000, 604_800_000]
        for _ in 0..<500 {
            let unit = units.randomElement(using: &random) ?? 1
            let span = TimeSpan(milliseconds: Int64.random(in: -10_000...10_000, using: &random) * unit)
            #expect(try TimeSpan(span.description, allowsNegative: true) == span)
        }
        let longest = TimeSpan(milliseconds: .max)
        #expect(try TimeSpan(longest.description) == longest)
        #expect(TimeSpan(milliseconds: .min).description == "-9223372036854775.808s")
    }
}
