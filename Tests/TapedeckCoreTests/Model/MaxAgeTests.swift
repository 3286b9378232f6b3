import TapedeckCore
import Testing

/// A cassette that is older than its `maxAge` allows.
@Suite struct MaxAgeTests {
    private static func cassette(_ variants: [Variant], maxAge: String? = "30d") throws -> Cassette {
        let request = RequestMatcher(method: "GET", url: try Samples.url("http://a.example/"))
        return Cassette(
            name: "x",
            maxAge: try maxAge.map { MaxAge(try TimeSpan($0)) },
            responseSets: [ResponseSet(name: "users", request: request, variants: variants)]
        )
    }

    private static func now() throws -> Instant {
        try #require(Instant(rfc3339: "2026-11-21T10:00:00Z"))
    }

    @Test func `the oldest take counts, and its age is in days`() throws {
        let takes = ["2026-11-20T10:00:00Z, answered in 5 ms", "2026-10-07T10:00:00Z", "2026-11-01T10:00:00Z"].map {
            Take(recorded: $0)
        }
        let cassette = try Self.cassette([Variant(name: "recorded", takes: takes)])
        let overage = try #require(cassette.overage(at: try Self.now()))
        #expect(overage.description == "\"users\" was recorded 45 days ago (2026-10-07T10:00:00Z), and maxAge is 30d")
    }

    @Test func `nothing is too old without a maxAge, or at exactly that age`() throws {
        let variants = [Variant(name: "recorded", takes: [Take(recorded: "2026-10-22T10:00:00Z")])]
        #expect(try Self.cassette(variants).overage(at: try Self.now()) == nil)
        #expect(try Self.cassette(variants, maxAge: nil).overage(at: try Self.now()) == nil)
        let later = try #require(Instant(rfc3339: "2026-10-22T10:00:00Z")).advanced(byMilliseconds: 30 * 86_400_000 + 1)
        #expect(try Self.cassette(variants).overage(at: later) != nil)
    }

    @Test func `takes that a refresh would keep have no age`() throws {
        let old = "2020-01-01T00:00:00Z"
        let variants = [
            Variant(name: "by hand", takes: [Take()]),
            Variant(
                name: "recorded",
                takes: [Take(recorded: "2026-11-20T10:00:00Z"), Take(fault: .connectionReset, recorded: old), Take()]
            ),
            Variant(name: "kept", takes: [Take(recorded: old)]),
        ]
        #expect(try Self.cassette(variants).overage(at: try Self.now()) == nil)
    }
}
