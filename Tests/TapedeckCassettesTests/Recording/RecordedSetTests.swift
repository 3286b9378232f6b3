import TapedeckCodings
import TapedeckCore
import TestShare
import Testing

@testable import TapedeckCassettes

/// The grouping of exchanges, as seen in the cassette.
@Suite
struct RecordedSetTests {
    private func sets(_ exchanges: RecordedExchange...) throws -> [ResponseSet] {
        let fixture = try CassetteFixture()
        try fixture.record(exchanges)
        #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty)
        return try fixture.load().responseSets
    }

    private func text(_ text: String) -> BodyMatcher {
        .bytes(InlineBody(form: .text, content: Array(text.utf8)))
    }

    @Test func aRequestSentThreeTimesIsOneSetWithThreeTakesInOrder() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            .made(2, "GET", "/a?x=1&y=2", text: "two"), .made(3, "GET", "/a?y=2&x=1", text: "three"),
            .made(1, "GET", "/a?x=1&y=2", text: "one"),
        ])
        #expect(try fixture.load().responseSets.count == 1)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["one", "two", "three"])
    }

    @Test func differentMethodsAndURLsGetSeparateSets() throws {
        let sets = try self.sets(
            .made(1, "GET", "/a", text: "1"),
            .made(2, "POST", "/a", text: "2"),
            .made(3, "GET", "/a?b", text: "3"),
            .made(4, "GET", "/A", text: "4")
        )
        #expect(sets.count == 4)
        #expect(sets.allSatisfy { $0.request.methods == ["POST"] || $0.request.body.isEmpty })
    }

    @Test func equalBodiesAreOneCondition() throws {
        let sets = try self.sets(
            .made(1, "POST", "/a", text: "1", sends: "same"),
            .made(2, "POST", "/a", text: "2", sends: "same")
        )
        #expect(sets.count == 1)
        #expect(sets[0].request.body == [self.text("same")])
        #expect(sets[0].variants[0].takes.count == 2)
    }

    @Test func differentBodiesGetSetsOfTheirOwnInAnOrderThatTheBodiesHave() throws {
        let sets = try self.sets(
            .made(1, "POST", "/a", text: "1", sends: "z"),
            .made(2, "POST", "/a", text: "2", sends: "b"),
            .made(3, "POST", "/a", text: "3", sends: "z"),
            .made(4, "POST", "/a", text: "4")
        )
        #expect(sets.map(\.request.body) == [[self.text("")], [self.text("b")], [self.text("z")]])
        #expect(sets.map { $0.variants[0].takes.count } == [1, 1, 2])
        #expect(sets.allSatisfy { $0.variants[0].takes.allSatisfy { $0.request == nil } })
    }

    @Test func jsonBodiesAreComparedAsJSON() throws {
        let sets = try self.sets(
            .made(1, "POST", "/a", text: "1", sends: #"{"q":1}"#, sentType: "application/json"),
            .made(2, "POST", "/a", text: "2", sends: #"{"q":2}"#, sentType: "application/json")
        )
        let bodies = ["{\n  \"q\": 1\n}\n", "{\n  \"q\": 2\n}\n"].map { text in
            BodyMatcher.json(InlineBody(form: .json, content: Array(text.utf8), layout: .compact))
        }
        #expect(sets.map(\.request.body) == bodies.map { [$0] })
    }

    /// They meet each other's condition, so the second set would never answer.
    @Test func jsonBodiesThatDifferInWhiteSpaceOnlyAreOneRequest() throws {
        let sets = try self.sets(
            .made(1, "POST", "/a", text: "1", sends: #"{"q":1}"#, sentType: "application/json"),
            .made(2, "POST", "/a", text: "2", sends: #"{"q": 1}"#, sentType: "application/json")
        )
        #expect(sets.count == 1)
    }

    @Test func jsonWithDifferentWhiteSpaceGoesIntoTheSameSetNextTime() throws {
        let fixture = try CassetteFixture()
        var conditions: [[[BodyMatcher]]] = []
        for space in ["", " "] {
            try fixture.record(
                (1...2).map { number in
                    .made(
                        number,
                        "POST",
                        "/a",
                        text: "\(number)",
                        sends: #"{"q":\#(space)\#(number)}"#,
                        sentType: "application/json"
                    )
                }
            )
            conditions.append(try fixture.load().responseSets.map(\.request.body))
        }
        #expect(conditions[0].count == 2)
        // The sets of the first recording are still there: were others put in their place, they would say `spaced`.
        #expect(conditions[1] == conditions[0])
        #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty)
    }

    @Test func aBodyThatIsCodedIsMatchedDecoded() throws {
        let one = try ContentCoder.encode(Array("one".utf8), .gzip)
        var exchange = RecordedExchange.made(1, "POST", "/a", body: Array("1".utf8), sends: one)
        exchange.requestHeaders = [HeaderField("Content-Encoding", "gzip")]
        let sets = try self.sets(exchange, .made(2, "POST", "/a", text: "2", sends: "two"))
        #expect(sets.map(\.request.body) == [[self.text("one")], [self.text("two")]])
    }

    @Test func aBodyTooLargeToWriteDownIsMatchedByItsDigest() throws {
        let fixture = try CassetteFixture()
        let large = Array(repeating: UInt8(0xF0), count: 5_000)
        try fixture.record([
            .made(1, "POST", "/a", body: Array("1".utf8), sends: large),
            .made(2, "POST", "/a", text: "2", sends: "small"),
        ])
        let sets = try fixture.load().responseSets
        #expect(sets.map(\.request.body) == [[.sha256(TestDigest.digest(large))], [self.text("small")]])
        // The digest does not say what was sent.
        #expect(fixture.bodyFiles.count == 1)
    }

    @Test func aLargeUploadOnItsOwnIsKeptInAFile() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "PUT", "/a", body: [], sends: Array(repeating: UInt8(0xF0), count: 5_000))])
        #expect(fixture.bodyFiles.count == 1)
        #expect(fixture.bodyFiles[0].hasPrefix("a-request-"))
    }

    @Test func manyBodiesOfOneURLAreGroupedInTimeThatGrowsWithTheirNumber() throws {
        let fixture = try CassetteFixture()
        let count = rounds(4_000)
        let exchanges = (0..<count).map {
            RecordedExchange.made($0, "POST", "/graphql", text: "\($0)", sends: "query \($0)")
        }
        try fixture.record(exchanges)
        let sets = try fixture.load().responseSets
        #expect(sets.count == count)
        // In the order of their texts.
        #expect(sets[count - 1].request.body == [self.text("query 999")])
    }

    @Test func aRecordingAnswersTheRecordedRequests() throws {
        let exchanges: [RecordedExchange] = [
            .made(1, "POST", "/a", text: "1", sends: "x"),
            .made(2, "POST", "/a", text: "2", sends: "{}", sentType: "a/json"),
            .made(3, "POST", "/a", text: "3"), .made(4, "GET", "/a?b=%7e&a", text: "4"),
            .made(5, "OPTIONS", "/*", text: "5"),
            // Some clients send URLs as they were typed.
            .made(6, "GET", "/caf\u{10FFE9}", text: "6"), .made(7, "GET", "/café?é=ü", text: "7"),
        ]
        let fixture = try CassetteFixture()
        try fixture.record(exchanges)
        let tape = Tape([try fixture.load()])
        for exchange in exchanges {
            guard case .bytes(let sent) = exchange.requestBody else { continue }
            let key = RequestKey(method: exchange.method, url: try #require(AbsoluteURL(exchange.url)))
            let body = ObservedBody(bytes: sent, sha256: TestDigest.digest(sent))
            let entry = try #require(tape.match(MatchRequest(key, body: body)), "\(exchange.number)")
            let take = try #require(tape.entries[entry].set.variants.first?.takes.first)
            #expect(String(decoding: try fixture.decoded(take.body), as: UTF8.self) == "\(exchange.number)")
        }
    }
}
