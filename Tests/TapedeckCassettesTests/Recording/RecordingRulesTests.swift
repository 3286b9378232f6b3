import TapedeckCassettes
import TapedeckCore
import Testing

/// The effect of a cassette's `match` and `ignore` on recordings into it.
@Suite
struct RecordingRulesTests {
    private func fixture(_ rules: String) throws -> CassetteFixture {
        try CassetteFixture("tapedeck: 1\n\(rules)\n# kept\n")
    }

    private func record(_ rules: String, _ exchanges: RecordedExchange...) throws -> [ResponseSet] {
        let fixture = try self.fixture(rules)
        try fixture.record(exchanges)
        #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty)
        let text = try fixture.text
        #expect(text.hasPrefix("tapedeck: 1\n\(rules)\n# kept\nresponseSets:\n"))
        // The rules apply the next time too, and nothing changes.
        #expect(try !fixture.record(exchanges).changed)
        #expect(try fixture.replay(exchanges) == exchanges.map(\.text))
        return try fixture.load().responseSets
    }

    private func json(_ text: String, _ number: Int, _ answer: String) -> RecordedExchange {
        .made(number, "POST", "/a", text: answer, sends: text, sentType: "application/json")
    }

    @Test func requestsWithIgnoredBodiesAreOneSetThatNotesTheBodies() throws {
        let sets = try self.record(
            "match: [method, url]",
            .made(1, "POST", "/a", text: "1", sends: "x"),
            .made(2, "POST", "/a", text: "2", sends: "y"),
            .made(3, "PUT", "/a", text: "3", sends: "z")
        )
        #expect(sets.map(\.name) == ["POST a.test/a", "PUT a.test/a"])
        #expect(sets.allSatisfy { $0.request.body.isEmpty })
        let sent = sets[0].variants[0].takes.map(\.request?.body)
        #expect(sent == ["x", "y"].map { .inline(InlineBody(form: .text, content: Array($0.utf8))) })
    }

    @Test func requestsWithIgnoredMethodsAreOneSetWithoutAMethod() throws {
        let sets = try self.record(
            "match: [url, body]",
            .made(1, "GET", "/a", text: "1"),
            .made(2, "HEAD", "/a", text: "2"),
            .made(3, "GET", "/b", text: "3")
        )
        #expect(sets.map(\.name) == ["a.test/a", "a.test/b"])
        #expect(sets.allSatisfy { $0.request.methods.isEmpty })
    }

    @Test func anIgnoredQueryIsNotWritten() throws {
        let sets = try self.record(
            "match: [method, origin, path, body]",
            .made(1, "GET", "/a?x=1", text: "1"),
            .made(2, "GET", "/a?x=2", text: "2"),
            .made(3, "GET", "/b", text: "3")
        )
        #expect(sets.map(\.request.url.description) == ["https://a.test/a", "https://a.test/b"])
        #expect(sets[0].variants[0].takes.count == 2)
        #expect(sets[0].variants[0].takes.allSatisfy { $0.request == nil })
    }

    @Test func anIgnoredOriginIsNotWritten() throws {
        let sets = try self.record(
            "match: [method, path, query]",
            .made(1, "GET", "/a?x=1", text: "1"),
            .made(2, "GET", "/a?x=1", text: "2").at("http://127.0.0.1:4000"),
            .made(3, "GET", "/a?x=2", text: "3").at("http://127.0.0.1:4001"),
            // Alone it would read as a host.
            .made(4, "GET", "//b", text: "4")
        )
        #expect(sets.map(\.name) == ["GET a.test//b", "GET /a?x=1", "GET /a?x=2"])
        #expect(sets.dropFirst().map(\.request.url) == [.exactPath("/a?x=1"), .exactPath("/a?x=2")])
    }

    @Test func anOriginHasOneSetIfPathsAreIgnored() throws {
        let sets = try self.record(
            "match: [method, origin]",
            .made(1, "GET", "/a?x=1", text: "1"),
            .made(2, "GET", "/b", text: "2"),
            .made(3, "GET", "/b", text: "3").at("https://b.test")
        )
        #expect(sets.map(\.request.url.description) == ["https://a.test/", "https://b.test/"])
    }

    /// A client may send what no URL should hold; the cassette says it as another client would send it.
    @Test func charactersBeyondASCIIAreWrittenEncoded() throws {
        let fixture = try CassetteFixture()
        let raw: [RecordedExchange] = [
            .made(1, "GET", "/é?q=ü", text: "1"), .made(2, "GET", "/%C3%A9?q=%C3%BC", text: "2"),
            .made(3, "GET", "/\u{10FFE9}", text: "3"),
        ]
        try fixture.record(raw)
        let sets = try fixture.load().responseSets
        #expect(sets.map(\.request.url.description) == ["https://a.test/%C3%A9?q=%C3%BC", "https://a.test/%E9"])
        #expect(try fixture.bodies(of: "GET a.test/%C3%A9") == ["1", "2"])
        #expect(try !fixture.record(raw).changed)
    }

    @Test func ignoredQueryParametersDoNotSplitAndAreNotWritten() throws {
        let sets = try self.record(
            "ignore: { query: [ts, 'a b'] }",
            .made(1, "GET", "/a?ts=1&q=x&a%20b=1", text: "1"),
            .made(2, "GET", "/a?q=x&ts=2&ts=3", text: "2"),
            .made(3, "GET", "/a?q=y", text: "3"),
            .made(4, "GET", "/b?ts=1", text: "4"),
            .made(5, "GET", "/b", text: "5")
        )
        let urls = ["https://a.test/a?q=x", "https://a.test/a?q=y", "https://a.test/b"]
        #expect(sets.map(\.request.url.description) == urls)
        #expect(sets.map { $0.variants[0].takes.count } == [2, 1, 2])
    }

    @Test func jsonBodiesThatDifferOnlyInIgnoredValuesAreTheSame() throws {
        let sets = try self.record(
            "ignore: { json: ['$.id', '$.at'] }",
            self.json(#"{"id":1,"q":"x"}"#, 1, "1"),
            self.json(#"{"q":"x","id":2,"at":"now"}"#, 2, "2"),
            self.json(#"{"id":1,"q":"y"}"#, 3, "3"),
            .made(4, "POST", "/a", text: "4", sends: "no json")
        )
        let content = Array("{\n  \"id\": 1,\n  \"q\": \"x\"\n}\n".utf8)
        #expect(sets.map(\.name) == ["POST a.test/a", "POST a.test/a (2)", "POST a.test/a (3)"])
        let same = try #require(sets.first { $0.variants[0].takes.count == 2 })
        #expect(same.request.body == [.json(InlineBody(form: .json, content: content, layout: .compact))])
    }

    @Test func jsonBodiesThatDifferOnlyInIgnoredValuesAreOneCondition() throws {
        let sets = try self.record(
            "ignore: { json: [$.id] }",
            self.json(#"{"id":1}"#, 1, "1"),
            self.json(#"{"id":2}"#, 2, "2")
        )
        #expect(sets.map(\.request.body.count) == [1])
        #expect(sets[0].variants[0].takes.count == 2)
    }

    // MARK: Header fields

    @Test func matchedHeaderFieldsThatDifferBecomeConditions() throws {
        let sets = try self.record(
            "match: [method, url, headers, body]",
            .made(1, text: "1").with(("Accept", "text/html"), ("X-Same", "1"), ("Authorization", "secret")),
            .made(2, text: "2").with(("accept", "application/json"), ("X-Same", "1"), ("Cookie", "secret")),
            .made(3, text: "3").with(("X-Same", "1"), ("User-Agent", "other")),
            .made(4, text: "4").with(("X-Same", "1"), ("Accept", "text/html"))
        )
        let conditions: [ValueMatcher] = [.absent, .equals("application/json"), .equals("text/html")]
        #expect(sets.map(\.request.headers) == conditions.map { [RequestMatcher.Field("accept", $0)] })
        #expect(sets.map { $0.variants[0].takes.count } == [1, 1, 2])
    }

    @Test(arguments: [
        "x-api-key", "Private-Token", "X_Access_Token", "X-Signature", "app-secret", "X-Session", "x-auth",
        "Set-Cookie", "Db-Password",
    ])
    func fieldsWhoseNamesSuggestASecretAreNotWritten(_ name: String) throws {
        let sets = try self.record(
            "match: [method, url, headers]",
            .made(1, text: "1").with((name, "hidden1")),
            .made(2, text: "2").with((name, "hidden2"))
        )
        #expect(sets.map(\.request.headers) == [[]])
        #expect(sets.map { $0.variants[0].takes.count } == [2])
    }

    @Test(arguments: ["x-keyboard", "x-tokens-left", "author"])
    func fieldsWhoseNamesOnlyResembleThoseOfSecretsAreMatched(_ name: String) throws {
        let sets = try self.record(
            "match: [method, url, headers]",
            .made(1, text: "1").with((name, "a")),
            .made(2, text: "2").with((name, "b"))
        )
        #expect(sets.count == 2)
    }

    @Test func aRepeatedFieldDiffersFromASingleOne() throws {
        let sets = try self.record(
            "match: [method, url, headers]",
            .made(1, text: "1").with(("X", "a")),
            .made(2, text: "2").with(("X", "a"), ("X", "b")),
            .made(3, text: "3").with(("X", "b"))
        )
        let values = sets.map(\.request.headers)
        #expect(values == [["a"], ["a", "b"], ["b"]].map { [RequestMatcher.Field("x", .values($0))] })
    }

    /// Even where the set for the field alone is there already, and would take both.
    @Test func aFieldRepeatedInALaterRecordingDiffersFromASingleOne() throws {
        let fixture = try self.fixture("match: [method, url, headers]")
        try fixture.record([.made(1, text: "1").with(("X", "a")), .made(2, text: "2").with(("X", "b"))])
        let again: [RecordedExchange] = [
            .made(1, text: "3").with(("X", "a")), .made(2, text: "4").with(("X", "a"), ("X", "b")),
        ]
        try fixture.record(again)
        #expect(try fixture.replay(again) == ["3", "4"])
        try fixture.folder.write(try fixture.text.replacing("GET a.test/ (2)", with: "mine"), to: "api.yaml")
        try fixture.record([.made(1, text: "5").with(("X", "a")), .made(2, text: "6").with(("X", "c"))])
        #expect(try fixture.load().responseSets.map(\.request.headers).contains([.init("x", .values(["c"]))]))
    }

    @Test func headerFieldsThatAreTheSameEverywhereAndIgnoredOnesNeedNoCondition() throws {
        let sets = try self.record(
            "match: [method, url, headers]\nignore: { headers: [X-Trace] }",
            .made(1, text: "1").with(("Accept", "a"), ("x-trace", "1"), ("X-Request-Id", "1")),
            .made(2, text: "2").with(("Accept", "a"), ("x-trace", "2"), ("X-Request-Id", "2"))
        )
        #expect(sets.count == 1)
        #expect(sets[0].request.headers.isEmpty)
    }

    @Test func headerFieldsAndBodiesSeparateSetsTogether() throws {
        func sent(_ number: Int, _ field: String, _ body: String) -> RecordedExchange {
            .made(number, "POST", "/a", text: "\(number)", sends: body).with(("X", field))
        }
        let sets = try self.record(
            "match: [method, url, headers, body]",
            sent(1, "a", "x"),
            sent(2, "b", "x"),
            sent(3, "a", "y"),
            sent(4, "b", "x")
        )
        #expect(sets.map { $0.variants[0].takes.count } == [1, 1, 2])
        #expect(sets.allSatisfy { $0.request.headers.count == 1 && $0.request.body.count == 1 })
    }

    @Test func aSetSeparatedByAHeaderStaysWhenItAloneIsRecordedAgain() throws {
        let fixture = try self.fixture("match: [method, url, headers]")
        try fixture.record([.made(1, text: "1").with(("X", "a")), .made(2, text: "2").with(("X", "b"))])
        try fixture.folder.write(try fixture.text.replacing("GET a.test/ (2)", with: "mine"), to: "api.yaml")
        try fixture.record([.made(1, text: "3").with(("X", "b"))])
        let sets = try fixture.load().responseSets
        #expect(sets.map(\.name) == ["GET a.test/", "mine"])
        #expect(sets[1].request.headers == [RequestMatcher.Field("x", .equals("b"))])
    }

    @Test func aManualConditionOnASecretMatchesItAndIsWrittenNowhereElse() throws {
        let fixture = try self.fixture("match: [method, url, headers]")
        try fixture.record([.made(1, text: "1").with(("Authorization", "a"))])
        let text = try fixture.text.replacing(
            "url: https://a.test/\n",
            with: "url: https://a.test/\n      headers: { authorization: a }\n"
        )
        try fixture.folder.write(text, to: "api.yaml")
        let exchanges = ["b", "a"].enumerated().map { number, secret in
            RecordedExchange.made(number, text: secret).with(("Authorization", secret))
        }
        try fixture.record(exchanges)
        let headers = try fixture.load().responseSets.map(\.request.headers)
        #expect(headers == [[RequestMatcher.Field("authorization", .equals("a"))], []])
        #expect(try fixture.replay(exchanges) == ["b", "a"])
    }

    // MARK: Files that are there

    @Test func setsRecordedBeforeTheRulesAreFoundAgain() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/a?ts=1", text: "1"), .made(2, "GET", "/a?ts=2", text: "2")])
        let text = try fixture.text.replacing("tapedeck: 1\n", with: "tapedeck: 1\nignore: { query: [ts] }\n")
        try fixture.folder.write(text.replacing("GET a.test/a?ts=1", with: "mine"), to: "api.yaml")
        try fixture.record([.made(1, "GET", "/a?ts=3", text: "3"), .made(2, "GET", "/a?ts=4", text: "4")])
        #expect(try fixture.load().responseSets.map(\.name) == ["mine", "GET a.test/a?ts=2"])
        #expect(try fixture.bodies(of: "mine") == ["3", "4"])
    }

    @Test func theRulesStayWhenTheFileIsRewritten() throws {
        let rules = "match: [method, url]\nignore: { query: [ts], headers: [x-a], json: [$.id] }\ndelay: 1s\n"
        let flow =
            "responseSets: [{name: m, request: {url: 'https://a.test/m'}, variants: [{name: v, fault: timeout}]}]"
        let fixture = try CassetteFixture("tapedeck: 1\n\(rules)\(flow)\n")
        let before = try fixture.load()
        try fixture.record([.made(1, "GET", "/a?ts=1", text: "1")])
        let after = try fixture.load()
        #expect(after.matching == before.matching)
        #expect(after.delay == before.delay)
        #expect(after.responseSets.map(\.name) == ["m", "GET a.test/a"])
    }

    // MARK: Bodies that are no plain condition

    /// As a `json` condition, each of them would match too much, or be unreadable.
    @Test(arguments: [
        #"{"id":"{{any.uuid}}"}"#, #"{"id":"{{any}}"}"#, #"{"id":"{{any.thing}}"}"#, #"{"id":"#,
        #"{"n":1e9999999999999999999}"#,
    ])
    func aBodyThatIsNotPlainJSONIsComparedByteForByte(_ text: String) throws {
        let sets = try self.record("about: x", self.json(text, 1, "1"), self.json(#"{"id":"x"}"#, 2, "2"))
        #expect(sets.contains { $0.request.body == [.bytes(InlineBody(form: .text, content: Array(text.utf8)))] })
    }
}

extension RecordedExchange {
    /// The body of the answer.
    var text: String? {
        guard case .bytes(let bytes) = self.response.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension URLMatcher {
    fileprivate var description: String {
        switch self {
        case .exact(let url): url.description
        case .exactPath(let path): path
        case .any, .template, .pattern: ""
        }
    }
}
