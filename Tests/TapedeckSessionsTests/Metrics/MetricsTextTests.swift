import Testing

@testable import TapedeckSessions

/// Numbers as Prometheus reads them.
@Suite struct MetricsTextTests {
    @Test func quotesBackslashesAndLineFeedsAreEscaped() {
        var text = MetricsText()
        text.begin("a_total", .counter, "one\ntwo \\ \"three\"")
        text.sample("a_total", ["label": "say \"hi\"\\\n"], 7)
        #expect(
            text.text == #"""
                # HELP a_total one\ntwo \\ "three"
                # TYPE a_total counter
                a_total{label="say \"hi\"\\\n"} 7

                """#
        )
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.000001"), (250, "0.00025"), (1_000_000, "1"), (2_500_000, "2.5"), (30_000_000, "30"),
            (12_345_678, "12.345678"),
        ]
    )
    func secondsAreExact(microseconds: Int, text: String) {
        #expect(MetricsText.seconds(microseconds) == text)
    }

    @Test func aDurationFallsIntoTheFirstBucketThatHoldsIt() {
        #expect(DurationBuckets.count == DurationBuckets.bounds.count + 1)
        #expect(DurationBuckets.index(of: 0) == 0)
        for (index, bound) in DurationBuckets.bounds.enumerated() {
            #expect(DurationBuckets.index(of: bound) == index)
            #expect(DurationBuckets.index(of: bound + 1) == index + 1)
        }
        #expect(DurationBuckets.index(of: .max) == DurationBuckets.bounds.count)
    }

    @Test func everyNumberHasAPlaceOfItsOwn() {
        let metrics = LoopMetrics()
        var count = 0
        for mode in LoopMetrics.Mode.allCases {
            for outcome in LoopMetrics.Outcome.allCases {
                count += 1
                for _ in 0..<count { metrics.count(mode, outcome, microseconds: nil) }
            }
        }
        metrics.count(.replay, .abandoned, microseconds: .max)
        metrics.count(.replay, .played, microseconds: 300)
        let expected = LoopMetrics.Mode.allCases.indices.map { mode in
            LoopMetrics.Outcome.allCases.indices.map { mode * LoopMetrics.Outcome.allCases.count + $0 + 1 }
        }
        for mode in LoopMetrics.Mode.allCases where mode != .replay {
            let found = LoopMetrics.Outcome.allCases.map { metrics.requests(mode, $0) }
            #expect(found == expected[mode.rawValue])
        }
        #expect(metrics.durations(.abandoned) == Array(repeating: 0, count: DurationBuckets.count - 1) + [1])
        #expect(metrics.durations(.played)[1] == 1)
        #expect(metrics.microseconds(.played) == 300)
        #expect(metrics.microseconds(.refused) == 0)
    }
}
