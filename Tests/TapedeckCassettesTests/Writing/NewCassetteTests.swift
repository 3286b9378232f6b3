import TapedeckCore
import TestShare
import Testing

@testable import TapedeckCassettes

/// Recordings that make a cassette, which is written piece by piece.
@Suite struct NewCassetteTests {
    @Test("A set with more takes than are written at once is complete and in order", .long)
    func manyTakes() throws {
        let fixture = try CassetteFixture()
        let bodies = (1...2_200).map { "\($0) " + String(repeating: "x", count: 1_000) }
        let saved = try fixture.record(bodies.enumerated().map { .made($0.offset + 1, text: $0.element) })
        #expect(saved.exchanges == bodies.count)
        #expect(try fixture.load().responseSets.count == 1)
        #expect(try fixture.bodies(of: "GET a.test/") == bodies)
        #expect(fixture.files == ["api.yaml"])
    }

    @Test("Sets have the same names and order as in an existing cassette")
    func names() throws {
        var exchanges: [RecordedExchange] = []
        for (target, sent) in [
            ("/b", ""), ("/a?x=2", ""), ("/a?x=1", ""), ("/c", "one"), ("/c", "two"), ("/b", ""), ("/a/b", ""),
            ("/d?y", ""),
        ] {
            exchanges.append(.made(exchanges.count + 1, "POST", target, text: "\(exchanges.count)", sends: sent))
        }
        let (new, old) = (try CassetteFixture(), try CassetteFixture("tapedeck: 1\nresponseSets: []\n"))
        #expect(try new.record(exchanges).exchanges == exchanges.count)
        #expect(try old.record(exchanges).exchanges == exchanges.count)
        let sets = try new.load().responseSets
        #expect(sets.map(\.name) == (try old.load().responseSets.map(\.name)))
        #expect(sets.map(\.request) == (try old.load().responseSets.map(\.request)))
        #expect(
            sets.map(\.name) == [
                "POST a.test/a/b", "POST a.test/a?x=1", "POST a.test/a?x=2", "POST a.test/b", "POST a.test/c",
                "POST a.test/c (2)", "POST a.test/d",
            ]
        )
    }
}
