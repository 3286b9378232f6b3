import Testing

@testable import TapedeckCore

/// The values that each kind of matcher accepts and rejects.
@Suite
struct MatcherTests {
    private func matches(
        _ matcher: RequestMatcher,
        _ url: String,
        method: String = "GET",
        headers: [HeaderField] = [],
        body: String? = nil,
        rules: MatchingRules = MatchingRules()
    ) throws -> Bool {
        var cassette = Samples.cassette([Samples.set("a", matcher)])
        cassette.matching = rules
        let matchRequest = try Samples.matchRequest(method, url, headers: headers, body: body)
        return Tape([cassette]).match(matchRequest) != nil
    }

    // MARK: URLs

    @Test(
        arguments: [
            (
                "https://a.test/users/{id}", ["https://a.test/users/1", "https://a.test/users/1?x=2"],
                ["https://a.test/users", "https://a.test/users/1/2", "http://a.test/users/1", "https://b.test/users/1"]
            ),
            ("https://A.test:443/%75sers/{id}", ["https://a.test/users/1"], ["https://a.test:444/users/1"]),
            ("/users/{id}", ["https://a.test/users/1", "http://b.test:81/users/2?x"], ["https://a.test/v1/users/1"]),
            ("https://a.test", ["https://a.test/", "https://a.test/any/path?and=query"], ["https://b.test/"]),
            ("https://{tenant}.test", ["https://x.test/", "https://y.test/a"], ["https://x.example/"]),
            ("/files/{+path}", ["https://a.test/files/a/b/c"], ["https://a.test/files/"]),
            ("/s?q={q}", ["https://a.test/s?q=1"], ["https://a.test/s", "https://a.test/s?q=1&r=2"]),
        ] as [(String, [String], [String])]
    )
    func aTemplateMatchesItsURLs(_ template: String, _ taken: [String], _ left: [String]) throws {
        let matcher = RequestMatcher(url: try Samples.template(template))
        for url in taken { #expect(try self.matches(matcher, url), "\(url)") }
        for url in left { #expect(try !self.matches(matcher, url), "\(url)") }
    }

    @Test(
        arguments: [
            (
                "https://[ab]\\.test/users/\\d+", ["https://a.test/users/1", "https://b.test/users/23"],
                ["https://c.test/users/1", "https://a.test/users/1?x=1", "https://a.test/users/x"]
            ),
            (
                "/users/\\d+(\\?.*)?", ["https://a.test/users/1", "http://z.test/users/1?x=1"],
                ["https://a.test/v/users/1"]
            ),
            (".*q=swift.*", ["https://a.test/s?a=1&q=swift"], ["https://a.test/s?q=rust"]),
            ("(?i)https://a\\.test/ABC", ["https://a.test/abc", "https://a.test/ABC"], ["https://a.test/abcd"]),
        ] as [(String, [String], [String])]
    )
    func aPatternMatchesTheWholeURLInCanonicalForm(_ pattern: String, _ taken: [String], _ left: [String]) throws {
        let matcher = RequestMatcher(url: try Samples.pattern(pattern))
        for url in taken { #expect(try self.matches(matcher, url), "\(url)") }
        for url in left { #expect(try !self.matches(matcher, url), "\(url)") }
    }

    @Test func aPathServesEveryOrigin() throws {
        let matcher = RequestMatcher(url: .exactPath("/users?b=2&a=1"))
        #expect(try self.matches(matcher, "https://a.test/users?a=1&b=2"))
        #expect(try self.matches(matcher, "http://b.test:8080/users?a=1&b=2"))
        #expect(try !self.matches(matcher, "https://a.test/users"))
    }

    @Test(
        arguments: [
            (
                HostMatcher.names(["a.test", "b.test:81"]),
                ["https://a.test/", "http://a.test:99/x", "http://b.test:81/"],
                ["http://b.test/", "https://www.a.test/"]
            ),
            (
                .names(["*.a.test"]), ["https://www.a.test/", "https://x.y.a.test/"],
                ["https://a.test/", "https://xa.test/"]
            ),
        ]
    )
    func aHostMatchesEveryPath(_ host: HostMatcher, _ taken: [String], _ left: [String]) throws {
        let matcher = RequestMatcher(host: host)
        for url in taken { #expect(try self.matches(matcher, url), "\(url)") }
        for url in left { #expect(try !self.matches(matcher, url), "\(url)") }
    }

    @Test func aHostAndAPathMustBothMatch() throws {
        let host = HostMatcher.pattern(try Pattern("(api|www)\\.a\\.test", scope: .whole))
        let matcher = RequestMatcher(url: .exactPath("/x"), host: host)
        #expect(try self.matches(matcher, "https://api.a.test/x"))
        #expect(try !self.matches(matcher, "https://api.a.test/y"))
        #expect(try !self.matches(matcher, "https://web.a.test/x"))
    }

    // MARK: Query, headers, cookies

    @Test func anExactURLRefusesParametersThatItDoesNotName() throws {
        var matcher = RequestMatcher(
            url: .exact(try Samples.url("https://a.test/s?q=swift")),
            query: [.init("page", .pattern(try Pattern("^[0-9]+$", scope: .anywhere)))]
        )
        #expect(try self.matches(matcher, "https://a.test/s?page=12&q=swift"))
        #expect(try !self.matches(matcher, "https://a.test/s?page=x&q=swift"))
        #expect(try !self.matches(matcher, "https://a.test/s?page=1&q=rust"))
        #expect(try !self.matches(matcher, "https://a.test/s?page=1&q=swift&utm=1"))
        matcher.refusesOtherQuery = false
        #expect(try self.matches(matcher, "https://a.test/s?page=1&q=swift&utm=1"))
    }

    @Test func aTemplateAllowsOtherParametersByDefault() throws {
        var matcher = RequestMatcher(url: try Samples.template("/s"), query: [.init("q", .equals("a b"))])
        #expect(try self.matches(matcher, "https://a.test/s?q=a%20b&x=1"))
        #expect(try !self.matches(matcher, "https://a.test/s?x=1"))
        matcher.refusesOtherQuery = true
        #expect(try !self.matches(matcher, "https://a.test/s?q=a%20b&x=1"))
    }

    @Test(
        arguments: [
            (ValueMatcher.equals("1"), ["q=1", "q=2&q=1"], ["q=2", ""]),
            (.values(["1", "2"]), ["q=1&q=2"], ["q=2&q=1", "q=1"]), (.oneOf(["1", "2"]), ["q=2"], ["q=3", ""]),
            (.present, ["q=", "q"], [""]), (.absent, ["", "r=1"], ["q=1"]), (.not(.equals("1")), ["q=2", ""], ["q=1"]),
            (.contains("wi"), ["q=swift"], ["q=sift"]), (.prefix("sw"), ["q=swift"], ["q=asw"]),
            (.suffix("ft"), ["q=swift"], ["q=fts"]), (.all([.prefix("s"), .suffix("t")]), ["q=swift"], ["q=swif"]),
        ] as [(ValueMatcher, [String], [String])]
    )
    func aValueIsComparedAsAsked(_ value: ValueMatcher, _ taken: [String], _ left: [String]) throws {
        let matcher = RequestMatcher(url: try Samples.template("/s"), query: [.init("q", value)])
        for query in taken { #expect(try self.matches(matcher, "https://a.test/s?\(query)"), "\(query)") }
        for query in left { #expect(try !self.matches(matcher, "https://a.test/s?\(query)"), "\(query)") }
    }

    @Test func numbersAreComparedByValue() throws {
        let above = ValueMatcher.greaterThan(try #require(JSONNumber("9.5")))
        let matcher = RequestMatcher(url: try Samples.template("/s"), query: [.init("n", above)])
        #expect(try self.matches(matcher, "https://a.test/s?n=10"))
        #expect(try !self.matches(matcher, "https://a.test/s?n=9.50"))
        #expect(try !self.matches(matcher, "https://a.test/s?n=ten"))
    }

    @Test func headersAndCookiesAreConditions() throws {
        let matcher = RequestMatcher(
            url: try Samples.template("/s"),
            headers: [.init("Accept", .contains("json"))],
            cookies: [.init("sid", .equals("1"))]
        )
        let fields = [HeaderField("accept", "application/json"), HeaderField("Cookie", "a=b; sid=1")]
        #expect(try self.matches(matcher, "https://a.test/s", headers: fields))
        #expect(try !self.matches(matcher, "https://a.test/s", headers: [fields[0]]))
        #expect(try !self.matches(matcher, "https://a.test/s", headers: [fields[1]]))
    }

    // MARK: Bodies

    private func json(_ text: String) -> InlineBody {
        InlineBody(form: .json, content: Array(text.utf8))
    }

    private func takes(_ body: BodyMatcher, _ text: String, contentType: String = "text/plain") throws -> Bool {
        try self.matches(
            RequestMatcher(methods: ["POST"], url: try Samples.template("/b"), body: [body]),
            "https://a.test/b",
            method: "POST",
            headers: [HeaderField("Content-Type", contentType)],
            body: text
        )
    }

    @Test func ignoredJSONFieldsDoNotAffectMatching() throws {
        let comparison = JSONComparison(ignoredPaths: [try JSONPath("$.id")], ignoresArrayOrder: true)
        let body = BodyMatcher.json(self.json(#"{"id": 1, "tags": ["a", "b"]}"#), comparison)
        #expect(try self.takes(body, #"{"tags":["b","a"],"id":99}"#))
        #expect(try !self.takes(body, #"{"tags":["b"],"id":1}"#))
    }

    @Test func placeholdersMatchChangingValues() throws {
        let body = BodyMatcher.json(self.json(#"{"id": "{{any.uuid}}", "n": "{{any.number}}"}"#))
        #expect(try self.takes(body, #"{"n":7,"id":"6f1e2d3c-4b5a-4978-8c6d-0e1f2a3b4c5d"}"#))
        #expect(try !self.takes(body, #"{"n":"7","id":"6f1e2d3c-4b5a-4978-8c6d-0e1f2a3b4c5d"}"#))
        #expect(try !self.takes(body, #"{"n":7,"id":"x"}"#))
    }

    @Test func aSubsetAllowsMore() throws {
        let body = BodyMatcher.jsonSubset(self.json(#"{"user": {"name": "ada"}}"#))
        #expect(try self.takes(body, #"{"user": {"name": "ada", "age": 36}, "x": 1}"#))
        #expect(try !self.takes(body, #"{"user": {"name": "bob"}}"#))
    }

    @Test(
        arguments: [
            ("$.n", JSONTest.value(.equals("1")), true), ("$.n", .value(.equals("1.0")), true),
            ("$.n", .value(.equals("2")), false), ("$.items[*]", .count(2), true), ("$.items[*]", .count(3), false),
            ("$.items", .type(.array), true), ("$.items", .type(.object), false), ("$.no", .value(.absent), true),
            ("$.s", .all([.type(.string), .value(.prefix("te"))]), true), ("$.s", .value(.oneOf(["a", "text"])), true),
        ] as [(String, JSONTest, Bool)]
    )
    func aPathIsTested(_ path: String, _ test: JSONTest, _ taken: Bool) throws {
        let body = BodyMatcher.jsonPath(try JSONPath(path), test)
        #expect(try self.takes(body, #"{"n": 1, "items": [1, 2], "s": "text"}"#) == taken)
    }

    @Test func formFieldsAreCompared() throws {
        let fields = [RequestMatcher.Field("user", .equals("ada l")), .init("pw", .present)]
        #expect(try self.takes(.form(fields, refusesOthers: false), "pw=x&user=ada+l&more=1"))
        #expect(try !self.takes(.form(fields, refusesOthers: true), "pw=x&user=ada+l&more=1"))
        #expect(try !self.takes(.form(fields, refusesOthers: false), "user=ada+l"))
    }

    @Test func partsAreFoundWithAnyBoundary() throws {
        let part = BodyMatcher.Part(name: "file", content: .contains("hello"), filename: .suffix(".txt"))
        for boundary in ["one", "another-boundary"] {
            let text =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n"
                + "--\(boundary)--\r\n"
            let type = "multipart/form-data; boundary=\(boundary)"
            #expect(try self.takes(.multipart([part]), text, contentType: type))
            #expect(try !self.takes(.multipart([part]), text.replacing("hello", with: "bye"), contentType: type))
        }
    }

    @Test func aGraphQLOperationIsKnownByItsName() throws {
        let body = BodyMatcher.graphQL(operation: .equals("GetUser"), variables: self.json(#"{"id": 1}"#))
        #expect(try self.takes(body, #"{"query": "query GetUser { a }", "variables": {"id": 1, "x": 2}}"#))
        #expect(try !self.takes(body, #"{"query": "query GetUser { a }", "variables": {"id": 2}}"#))
        #expect(try !self.takes(body, #"{"query": "query Other { a }", "variables": {"id": 1}}"#))
    }

    @Test(arguments: ["query=query%20GetUser%7Ba%7D", "query=query+GetUser%7Ba%7D&variables=%7B%22id%22%3A1%7D"])
    func aGraphQLOperationOfAGetIsReadFromTheQuery(_ query: String) throws {
        let matcher = RequestMatcher(
            url: try Samples.template("/g"),
            body: [.graphQL(operation: .equals("GetUser"), variables: nil)]
        )
        #expect(try self.matches(matcher, "https://a.test/g?\(query)"))
        #expect(try !self.matches(matcher, "https://a.test/g?query=%7Ba%7D"))
    }

    @Test func textIsSearched() throws {
        let body = BodyMatcher.text(.pattern(try Pattern("order-\\d+", scope: .anywhere)))
        #expect(try self.takes(body, "please ship order-12 now"))
        #expect(try !self.takes(body, "please ship order-x"))
    }

    @Test func anUnknownBodyMatchesNoBodyCondition() throws {
        let matcher = RequestMatcher(methods: ["POST"], url: .exactPath("/b"), body: [.text(.absent)])
        let tape = Tape([Samples.cassette([Samples.set("a", matcher)])])
        #expect(tape.match(MatchRequest(try Samples.key("POST", "https://a.test/b"), body: nil)) == nil)
    }

    @Test func notDoesNotMatchWhenItsConditionCannotBeEvaluated() throws {
        let large = MatchRequest(
            try Samples.key("POST", "https://a.test/b"),
            body: ObservedBody(bytes: nil, sha256: "x")
        )
        let unknown = [
            RequestMatcher(url: .exactPath("/b"), not: [RequestMatcher(body: [.text(.contains("zz"))])]),
            RequestMatcher(url: .exactPath("/b"), body: [.jsonPath(try JSONPath("$.a"), .value(.absent))]),
        ]
        for matcher in unknown {
            #expect(Tape([Samples.cassette([Samples.set("a", matcher)])]).match(large) == nil)
        }
        let slow = ValueMatcher.pattern(try Pattern("^(a+)+$|b$", scope: .anywhere))
        let matcher = RequestMatcher(url: try Samples.template("/c"), query: [.init("q", .not(slow))])
        let text = String(repeating: "a", count: 200) + "b"
        #expect(try !self.matches(matcher, "https://a.test/c?q=\(text)"))
        #expect(try self.matches(matcher, "https://a.test/c?q=xx"))
    }

    @Test func textIsComparedByteByByte() throws {
        #expect(try self.takes(.text(.contains("\nline2")), "line1\r\nline2"))
        #expect(try self.takes(.text(.prefix("line1\r")), "line1\r\nline2"))
        #expect(try self.takes(.text(.suffix("\n")), "abc\r\n"))
        #expect(try !self.takes(.text(.equals("caf\u{E9}")), "cafe\u{301}"))
        #expect(try self.takes(.text(.contains("ana")), "banbana"))
        #expect(try !self.takes(.text(.contains("abd")), "abcabcab"))
    }

    @Test(arguments: [
        ("[::1]", "http://[::1]/", true), ("[::1]", "http://[::1]:90/", true), ("[::1]:90", "http://[::1]/", false),
        ("a.test:443", "https://a.test/", true), ("a.test:443", "http://a.test/", false),
        ("a.test:80", "http://a.test/", true),
    ])
    func aHostIsComparedWithItsPort(_ name: String, _ url: String, _ taken: Bool) throws {
        #expect(try self.matches(RequestMatcher(host: .names([name])), url) == taken)
    }

    // MARK: Composition

    @Test func conditionsAreCombined() throws {
        let pro = RequestMatcher(headers: [.init("plan", .equals("pro"))])
        let trial = RequestMatcher(headers: [.init("plan", .equals("trial"))])
        let admin = RequestMatcher(url: try Samples.template("/admin/{+rest}"))
        let matcher = RequestMatcher(host: .names(["a.test"]), any: [pro, trial], not: [admin])
        let plan = { (name: String) in [HeaderField("plan", name)] }
        #expect(try self.matches(matcher, "https://a.test/x", headers: plan("pro")))
        #expect(try self.matches(matcher, "https://a.test/x", headers: plan("trial")))
        #expect(try !self.matches(matcher, "https://a.test/x", headers: plan("free")))
        #expect(try !self.matches(matcher, "https://a.test/admin/x", headers: plan("pro")))
        #expect(
            try self.matches(
                RequestMatcher(url: .exactPath("/x"), all: [pro]),
                "https://a.test/x",
                headers: plan("pro")
            )
        )
    }

    // MARK: Rules of a cassette

    @Test func fieldsIgnoredByTheCassetteDoNotAffectMatching() throws {
        let url = try Samples.url("https://a.test/s?ts=1&q=1")
        let rules = MatchingRules(
            ignoredQuery: ["ts"],
            ignoredHeaders: ["ACCEPT"],
            ignoredJSON: [try JSONPath("$.nonce")]
        )
        let matcher = RequestMatcher(
            url: .exact(url),
            headers: [.init("accept", .equals("x"))],
            body: [.json(self.json(#"{"nonce": 1, "a": 2}"#))]
        )
        #expect(try self.matches(matcher, "https://a.test/s?q=1&ts=99", body: #"{"a":2,"nonce":7}"#, rules: rules))
        #expect(try self.matches(matcher, "https://a.test/s?q=1", body: #"{"a":2}"#, rules: rules))
        #expect(try !self.matches(matcher, "https://a.test/s?q=2&ts=1", body: #"{"a":2}"#, rules: rules))
        #expect(try !self.matches(matcher, "https://a.test/s?q=1&ts=99", body: #"{"a":3}"#, rules: rules))
    }

    @Test(
        arguments: [
            ([.method, .path], "POST", "https://b.test/s?x=1", false),
            ([.method, .path], "GET", "http://b.test/s?x", true),
            ([.url], "DELETE", "https://a.test/s?q=1", true), ([.url], "DELETE", "https://a.test/s", false),
            ([.method, .origin, .path], "GET", "https://a.test/s?other", true),
            ([.method, .origin, .path], "GET", "https://b.test/s?q=1", false),
            ([.method, .origin], "GET", "https://a.test/any?x", true),
            ([.method, .origin], "GET", "http://a.test/", false),
        ] as [([MatchingRules.Part], String, String, Bool)]
    )
    func aCassetteSelectsThePartsToMatch(
        _ parts: [MatchingRules.Part],
        _ method: String,
        _ url: String,
        _ taken: Bool
    ) throws {
        let matcher = RequestMatcher(method: "GET", url: try Samples.url("https://a.test/s?q=1"))
        #expect(try self.matches(matcher, url, method: method, rules: MatchingRules(parts: parts)) == taken)
    }

    // MARK: Order

    @Test func anyPriorityCanBeCompared() throws {
        let url = try Samples.url("https://a.test/")
        let sets = [Int.min, .max, 0].map {
            Samples.set("\($0)", RequestMatcher(method: "GET", url: url), priority: $0)
        }
        let tape = Tape([Samples.cassette(sets)])
        #expect(tape.match(try Samples.matchRequest("GET", "https://a.test/")) == 1)
    }

    @Test func theMoreSpecificSetIsTriedFirst() throws {
        let url = try Samples.url("https://a.test/users/1")
        let sets = [
            Samples.set("host", RequestMatcher(methods: ["GET"], host: .names(["a.test"]))),
            Samples.set("pattern", RequestMatcher(methods: ["GET"], url: try Samples.pattern("https://a\\.test/.*"))),
            Samples.set("template", RequestMatcher(methods: ["GET"], url: try Samples.template("/users/{id}"))),
            Samples.set("any method", RequestMatcher(method: nil, url: url)),
            Samples.set("exact", RequestMatcher(method: "GET", url: url)),
            Samples.set(
                "condition",
                RequestMatcher(methods: ["GET"], url: .exact(url), headers: [.init("x", .present)])
            ),
            Samples.set("low", RequestMatcher(method: "GET", url: url), priority: -1),
            Samples.set("high", RequestMatcher(url: try Samples.pattern(".*")), priority: 1),
        ]
        let tape = Tape([Samples.cassette(sets)])
        let matchRequest = try Samples.matchRequest("GET", "https://a.test/users/1", headers: [HeaderField("x", "1")])
        let facts = RequestFacts(matchRequest, scratch: PatternScratch())
        var order: [String] = []
        var last: Int?
        while let next = tape.match(facts, after: last) {
            order.append(tape.entries[next].set.name)
            last = next
        }
        #expect(order == ["high", "condition", "exact", "any method", "template", "pattern", "host", "low"])
    }
}
