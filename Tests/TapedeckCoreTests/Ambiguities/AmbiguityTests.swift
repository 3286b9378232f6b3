import TapedeckCore
import Testing

@Suite
struct AmbiguityTests {
    private static func set(
        _ name: String,
        _ request: RequestMatcher,
        priority: Int = 0,
        requires: [StateEntry] = []
    )
        -> ResponseSet
    {
        ResponseSet(
            name: name,
            request: request,
            priority: priority,
            requires: requires,
            variants: [Variant(name: "v", takes: [Take()])]
        )
    }

    private static func template(
        _ text: String,
        _ change: (inout RequestMatcher) -> Void = { _ in }
    ) throws
        -> RequestMatcher
    {
        var matcher = RequestMatcher(methods: ["GET"], url: .template(try URLTemplate(text)))
        change(&matcher)
        return matcher
    }

    private static func pattern(_ text: String) throws -> RequestMatcher {
        RequestMatcher(methods: ["GET"], url: .pattern(try Pattern(text, scope: .whole)))
    }

    private func ties(_ matchers: RequestMatcher...) -> [String] {
        let sets = matchers.enumerated().map { Self.set("\($0)", $1) }
        return Tape([Cassette(name: "c", responseSets: sets)]).ties().map { "\($0.first) \($0.second) \($0.request)" }
    }

    @Test func templatesThatCrossTie() throws {
        #expect(
            self.ties(
                try Self.template("https://a.test/users/{id}"),
                try Self.template("https://a.test/{kind}/me"),
                try Self.template("https://a.test/other/{x}/{y}")
            ) == ["0 1 GET https://a.test/users/me"]
        )
    }

    @Test func templatesThatMatchTheSameURLsTie() throws {
        #expect(
            self.ties(try Self.template("https://a.test/u/{id}"), try Self.template("https://a.test/u/{name}"))
                == ["0 1 GET https://a.test/u/1"]
        )
        #expect(self.ties(try Self.template("https://a.test/u/{id}"), try Self.template("https://a.test/v/{id}")) == [])
        #expect(
            self.ties(try Self.template("https://a.test/{+path}"), try Self.template("https://a.test/v/{id}"))
                == ["0 1 GET https://a.test/v/1"]
        )
    }

    @Test func mutuallyExclusiveConditionsDoNotTie() throws {
        func with(_ name: String, _ value: ValueMatcher) throws -> RequestMatcher {
            try Self.template("https://a.test/u/{id}") { $0.query = [RequestMatcher.Field(name, value)] }
        }
        #expect(self.ties(try with("a", .equals("1")), try with("a", .equals("2"))) == [])
        #expect(
            self.ties(try with("a", .equals("1")), try with("b", .equals("2 3")))
                == ["0 1 GET https://a.test/u/1?a=1&b=2%203"]
        )
        #expect(self.ties(try with("a", .equals("1")), try with("a", .absent)) == [])
        #expect(self.ties(try with("a", .equals("xy")), try with("a", .prefix("x"))).count == 1)
        #expect(self.ties(try with("a", .equals("xy")), try with("a", .not(.prefix("x")))) == [])
        func header(_ name: String, _ value: ValueMatcher) throws -> RequestMatcher {
            try Self.template("https://a.test/u/{id}") { $0.headers = [RequestMatcher.Field(name, value)] }
        }
        #expect(self.ties(try header("A", .equals("1")), try header("a", .equals("2"))) == [])
        #expect(self.ties(try header("A", .equals("1")), try header("b", .equals("2"))).count == 1)
        let not = try Self.template("https://a.test/u/{id}") {
            $0.not = [RequestMatcher(headers: [RequestMatcher.Field("x", .present)])]
        }
        #expect(self.ties(try header("x", .present), not) == [])
        #expect(self.ties(try header("y", .present), not).count == 1)
    }

    @Test func mutuallyExclusiveBodiesDoNotTie() throws {
        func body(_ matcher: BodyMatcher) throws -> RequestMatcher {
            RequestMatcher(method: "POST", url: try Samples.url("https://a.test/q"), body: matcher)
        }
        let path = try JSONPath("$.a")
        #expect(self.ties(try body(Samples.json("{\"a\":1}")), try body(Samples.json("{\"a\":2}"))) == [])
        #expect(self.ties(try body(Samples.json("{\"a\":1}")), try body(Samples.json("{ \"a\": 1.0 }"))).count == 1)
        #expect(
            self.ties(try body(Samples.json("{\"a\":1}")), try body(.jsonPath(path, .value(.equals("1"))))).count == 1
        )
        #expect(self.ties(try body(Samples.json("{\"a\":1}")), try body(.jsonPath(path, .value(.equals("2"))))) == [])
        #expect(
            self.ties(
                try body(.jsonPath(path, .value(.equals("1")))),
                try body(.jsonPath(path, .value(.equals("2"))))
            ) == []
        )
        #expect(
            self.ties(
                try body(.graphQL(operation: .equals("A"), variables: nil)),
                try body(.graphQL(operation: .equals("B"), variables: nil))
            ) == []
        )
        #expect(
            self.ties(try body(.text(.contains("x"))), try body(.jsonPath(path, .value(.equals("1"))))).count == 1
        )
    }

    @Test func patternsTieOnAURLThatBothMatch() throws {
        #expect(
            self.ties(try Self.pattern("https://a\\.test/u/\\d+"), try Self.pattern("https://a\\.test/u/[0-9a-f]+"))
                == ["0 1 GET https://a.test/u/1"]
        )
        #expect(
            self.ties(
                try Self.pattern("https://a\\.test/u/\\d{3}"),
                try Self.pattern("https://a\\.test/u/[5-9]+"),
                RequestMatcher(method: nil, url: try Samples.url("https://a.test/u/777"))
            )
                == ["0 1 GET https://a.test/u/777"]
        )
        #expect(self.ties(try Self.pattern("/u/\\d+"), try Self.pattern("/v/\\d+")) == [])
    }

    @Test func setsOfOtherHostsAndMethodsDoNotTie() throws {
        func host(_ name: String, _ method: String) -> RequestMatcher {
            RequestMatcher(methods: [method], host: .names([name]))
        }
        #expect(self.ties(host("a.test", "GET"), host("*.test", "GET")) == ["0 1 GET https://a.test/"])
        #expect(self.ties(host("a.test", "GET"), host("b.test", "GET")) == [])
        #expect(self.ties(host("a.test", "GET"), host("a.test", "POST")) == [])
    }

    @Test func mutuallyExclusiveStatesDoNotTie() throws {
        func tape(_ one: [StateEntry], _ other: [StateEntry], _ priority: Int = 0) throws -> Int {
            let request = try Self.template("https://a.test/u/{id}")
            let sets = [
                Self.set("a", request, requires: one), Self.set("b", request, priority: priority, requires: other),
            ]
            return Tape([Cassette(name: "c", responseSets: sets)]).ties().count
        }
        #expect(try tape([StateEntry("k", "1")], [StateEntry("k", "2")]) == 0)
        #expect(try tape([StateEntry("k", nil)], [StateEntry("k", "2")]) == 0)
        #expect(try tape([StateEntry("k", "1")], [StateEntry("l", "1")]) == 1)
        #expect(try tape([], [], 1) == 0)
    }
}
