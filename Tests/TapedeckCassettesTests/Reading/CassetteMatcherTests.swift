import TapedeckCassettes
import TapedeckCore
import Testing

/// The requests of a set, as a person may write them.
@Suite
struct CassetteMatcherTests {
    private func matcher(_ lines: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> RequestMatcher
    {
        let result = CassetteReader.read(Array(CassetteText.request(lines).utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)", sourceLocation: sourceLocation)
        return try #require(result.cassette.responseSets.first, sourceLocation: sourceLocation).request
    }

    private func pattern(_ source: String, _ scope: Pattern.Scope, ignoresCase: Bool = false) throws -> Pattern {
        try Pattern(source, scope: scope, ignoresCase: ignoresCase)
    }

    // MARK: URLs

    @Test(
        arguments: [
            ("url: https://a.test/p", "https://a.test/p"), ("url: https://a.test", "https://a.test/"),
            ("url: https://a.test/p\nquery: { q: swift, page: 2 }", "https://a.test/p?q=swift&page=2"),
            ("url: https://a.test/p?x=1\nquery: { q: swift }", "https://a.test/p?x=1&q=swift"),
            ("url: https://a.test/p\nquery:\n  tag: [a, b]", "https://a.test/p?tag=a&tag=b"),
            ("url: https://a.test/p\nquery: { tag: { values: [a, b] } }", "https://a.test/p?tag=a&tag=b"),
            ("url: https://a.test/p\nquery: { q: { equals: a } }", "https://a.test/p?q=a"),
            ("url: https://a.test/p\nquery: { q: 'a b&c=d#e+f%g' }", "https://a.test/p?q=a%20b%26c%3Dd%23e%2Bf%25g"),
            ("url: https://a.test/p\nquery: { 'q[]': é, empty: '' }", "https://a.test/p?q%5B%5D=%C3%A9&empty="),
            ("url: https://a.test/p\nquery: { path: a/b?c:d@e }", "https://a.test/p?path=a/b?c:d@e"),
            ("url: https://a.test/p\nquery: {}", "https://a.test/p"),
            ("url: https://a.test/p\nquery:", "https://a.test/p"),
            ("url: HTTPS://A.Test:443/p#fragment", "https://a.test/p"),
            ("url: https://a.test/é/a b?q=ü%20", "https://a.test/%C3%A9/a%20b?q=%C3%BC%20"),
            ("url: https://a.test/é\nquery: { q: é ü, r: '%C3' }", "https://a.test/%C3%A9?q=%C3%A9%20%C3%BC&r=%25C3"),
            ("url: \"https://a.test/\\U0010FFE9\"", "https://a.test/%E9"),
        ]
    )
    func theQueryMayBeSeparateFromTheURL(_ lines: String, _ url: String) throws {
        #expect(try self.matcher(lines) == RequestMatcher(method: nil, url: try #require(AbsoluteURL(url))))
    }

    @Test func aURLMayLeaveTheHostOpen() throws {
        #expect(try self.matcher("url: /p?q=1#x").url == .exactPath("/p?q=1"))
        #expect(try self.matcher("url: /p\nquery: { q: 1 }").url == .exactPath("/p?q=1"))
        let two = try self.matcher("url: /p\nhost: [A.Test, '*.b.test:8443', '[::1]']")
        #expect(two.host == .names(["a.test", "*.b.test:8443", "[::1]"]))
        #expect(try self.matcher("host: a.test") == RequestMatcher(host: .names(["a.test"])))
        let pattern = try self.pattern("a|b", .whole)
        #expect(try self.matcher("hostPattern: a|b") == RequestMatcher(host: .pattern(pattern)))
    }

    /// A person means the form that a client sends.
    @Test(arguments: [
        ("url: /é b", "/%C3%A9%20b"), ("urlTemplate: '/é b/{id}?ö={x}'", "/%C3%A9%20b/7?%C3%B6=1"),
        ("urlTemplate: https://a.test/ü/{id}", "/%c3%bc/7"), ("urlTemplate: '/{a}?to=http://ü'", "/7?to=http://ü"),
        ("url: '/p?x=%C3%A9'\nquery: { y: é }", "/p?x=é&y=%C3%A9"),
        ("url: /p?ü=é\notherQuery: allowed", "/p?ü=é&z=1"),
    ])
    func plainCharactersInACassetteMatchEncodedOnesInARequest(_ lines: String, _ target: String) throws {
        let result = CassetteReader.read(Array(CassetteText.request(lines).utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)")
        let target = target.replacing("é", with: "%C3%A9").replacing("ü", with: "%C3%BC")
        let url = AbsoluteURL(origin: Origin(scheme: .https, host: "a.test"), target: target)
        #expect(Tape([result.cassette]).match(MatchRequest(RequestKey(method: "GET", url: url))) != nil)
        let again = CassetteReader.read(CassetteWriter.text(of: result.cassette), name: "test", path: "test.yaml")
        #expect(again.cassette == result.cassette)
    }

    @Test func aURLMayBeATemplateOrAPattern() throws {
        let template = try URLTemplate("https://a.test/users/{id}")
        #expect(try self.matcher("urlTemplate: https://a.test/users/{id}").url == .template(template))
        #expect(
            try self.matcher("urlTemplate: /users/{id}\nhost: a.test").url == .template(try URLTemplate("/users/{id}"))
        )
        #expect(try self.matcher("urlTemplate: https://a.test").url == .template(try URLTemplate("https://a.test")))
        let pattern = try self.pattern(#"https://a\.test/(\d+)"#, .whole)
        #expect(try self.matcher(#"urlPattern: https://a\.test/(\d+)"#).url == .pattern(pattern))
        let ignoring = try self.pattern("/A", .whole, ignoresCase: true)
        #expect(try self.matcher("urlPattern: { pattern: /A, ignoreCase: true }").url == .pattern(ignoring))
    }

    @Test func queryMatchersOfAnExactURLAreSeparateFromIt() throws {
        let matcher = try self.matcher(
            "url: https://a.test/p?x=1\nquery: { q: { prefix: a }, y: 2 }\notherQuery: refused"
        )
        #expect(matcher.url == .exact(try #require(AbsoluteURL("https://a.test/p?x=1&y=2"))))
        #expect(matcher.query == [RequestMatcher.Field("q", .prefix("a"))])
        #expect(matcher.refusesOtherQuery == true)
    }

    @Test func theURLHasNoParametersIfOthersAreAllowed() throws {
        let matcher = try self.matcher("url: /p?a%20b=%C3%A9&c&c=2\nquery: { q: x, c: 3 }\notherQuery: allowed")
        #expect(matcher.url == .exactPath("/p"))
        #expect(
            matcher.query == [
                RequestMatcher.Field("a b", .values(["é"])), RequestMatcher.Field("c", .values(["", "2", "3"])),
                RequestMatcher.Field("q", .equals("x")),
            ]
        )
        #expect(matcher.refusesOtherQuery == false)
    }

    @Test func everyParameterOfATemplateIsACondition() throws {
        let matcher = try self.matcher("urlTemplate: /p/{x}\nquery: { q: x, tag: [a, b] }")
        #expect(
            matcher.query == [
                RequestMatcher.Field("q", .equals("x")), RequestMatcher.Field("tag", .values(["a", "b"])),
            ]
        )
    }

    @Test(
        arguments: [
            ("", []), ("method: any\n", []), ("method: '*'\n", []), ("method: [GET, any]\n", []),
            ("method: DELETE\n", ["DELETE"]), ("method: [GET, HEAD, GET]\n", ["GET", "HEAD"]),
        ] as [(String, [String])]
    )
    func aSetIsForOneMethodSeveralOrAny(_ lines: String, _ methods: [String]) throws {
        #expect(try self.matcher(lines + "url: /").methods == methods)
    }

    // MARK: Values

    @Test(
        arguments: [
            ("x", .equals("x")), ("1", .equals("1")), ("''", .equals("")), ("[a, b]", .values(["a", "b"])),
            ("{ equals: x }", .equals("x")), ("{ values: [a] }", .values(["a"])),
            ("{ oneOf: [a, 2] }", .oneOf(["a", "2"])), ("{ contains: a }", .contains("a")),
            ("{ prefix: a }", .prefix("a")), ("{ suffix: a }", .suffix("a")), ("{ present: true }", .present),
            ("{ present: false }", .absent), ("{ absent: true }", .absent), ("{ absent: false }", .present),
            ("{ not: x }", .not(.equals("x"))), ("{ not: { prefix: x } }", .not(.prefix("x"))),
            ("{ prefix: a, suffix: b }", .all([.prefix("a"), .suffix("b")])),
            ("{ suffix: b, prefix: a }", .all([.suffix("b"), .prefix("a")])),
            ("{ present: true, absent: false }", .present),
        ] as [(String, ValueMatcher)]
    )
    func aValueMayHaveManyKindsOfConditions(_ text: String, _ value: ValueMatcher) throws {
        let matcher = try self.matcher("urlTemplate: /{a}\nheaders: { X-A: \(text) }\ncookies: { c: \(text) }")
        #expect(matcher.headers == [RequestMatcher.Field("X-A", value)])
        #expect(matcher.cookies == [RequestMatcher.Field("c", value)])
    }

    @Test func valuesMayBeComparedAsNumbersOrByPatterns() throws {
        let matcher = try self.matcher(
            "url: /\nheaders: { a: { greaterThan: 1e3, lessThan: -2.5 }, b: { pattern: 'x+', ignoreCase: true } }"
        )
        let (more, less) = (try #require(JSONNumber("1e3")), try #require(JSONNumber("-2.5")))
        let pattern = try self.pattern("x+", .anywhere, ignoresCase: true)
        #expect(
            matcher.headers == [
                RequestMatcher.Field("a", .all([.greaterThan(more), .lessThan(less)])),
                RequestMatcher.Field("b", .pattern(pattern)),
            ]
        )
    }

    // MARK: Bodies

    @Test(
        arguments: [
            ("text: a b", .bytes(InlineBody(form: .text, content: Array("a b".utf8)))),
            ("text: ''", .bytes(InlineBody(form: .text, content: []))),
            ("text: { equals: a b }", .bytes(InlineBody(form: .text, content: Array("a b".utf8)))),
            ("text: { contains: a }", .text(.contains("a"))),
            ("base64: /wA=", .bytes(InlineBody(form: .base64, content: [0xFF, 0]))),
            ("json: '{\"a\": 1}'", .json(InlineBody(form: .json, content: Array("{\"a\": 1}".utf8)))),
            (
                "json: |\n    [1]\n  layout: compact",
                .json(InlineBody(form: .json, content: Array("[1]\n".utf8), layout: .compact))
            ),
            (
                "json: '[1]'\n  ignoreArrayOrder: true",
                .json(
                    InlineBody(form: .json, content: Array("[1]".utf8)),
                    JSONComparison(ignoredPaths: [], ignoresArrayOrder: true)
                )
            ),
            (
                "jsonSubset: '[\"{{any.uuid}}\"]'",
                .jsonSubset(InlineBody(form: .json, content: Array("[\"{{any.uuid}}\"]".utf8)))
            ),
            ("sha256: \(String(repeating: "0aF", count: 21))9", .sha256(String(repeating: "0af", count: 21) + "9")),
            ("form: { a: 1 }", .form([RequestMatcher.Field("a", .equals("1"))], refusesOthers: false)),
            ("form: {}\n  otherFields: refused", .form([], refusesOthers: true)),
            (
                "form: { a: [1, 2] }\n  otherFields: allowed",
                .form([RequestMatcher.Field("a", .values(["1", "2"]))], refusesOthers: false)
            ),
            (
                "multipart: { a: x, b: { filename: { suffix: .png } }, c: { content: y, contentType: z } }",
                .multipart([
                    BodyMatcher.Part(name: "a", content: .equals("x")),
                    BodyMatcher.Part(name: "b", content: .present, filename: .suffix(".png")),
                    BodyMatcher.Part(name: "c", content: .equals("y"), contentType: .equals("z")),
                ])
            ),
            ("graphql: Find", .graphQL(operation: .equals("Find"), variables: nil)),
            (
                "graphql: { operation: { prefix: F }, variables: '{}' }",
                .graphQL(operation: .prefix("F"), variables: InlineBody(form: .json, content: Array("{}".utf8)))
            ),
        ] as [(String, BodyMatcher)]
    )
    func aConditionOnTheBodyHasManyForms(_ lines: String, _ condition: BodyMatcher) throws {
        #expect(try self.matcher("url: https://a.test/\nbody:\n  \(lines)").body == [condition])
    }

    @Test func everyKeyOfABodyIsACondition() throws {
        let lines = "pattern: a+\n  text: { prefix: a }\n  json: '1'\n  ignore: [$.id, $..at]"
        let paths = [try JSONPath("$.id"), try JSONPath("$..at")]
        let json = InlineBody(form: .json, content: [0x31])
        #expect(
            try self.matcher("url: /\nbody:\n  \(lines)").body == [
                .text(.pattern(try self.pattern("a+", .anywhere))), .text(.prefix("a")),
                .json(json, JSONComparison(ignoredPaths: paths)),
            ]
        )
    }

    @Test(
        arguments: [
            ("x", .value(.equals("x"))), ("1.50", .value(.equals("1.50"))), ("true", .value(.equals("true"))),
            ("null", .value(.equals("null"))), ("~", .value(.equals("null"))), ("[a, b]", .value(.values(["a", "b"]))),
            ("{ count: 0 }", .count(0)), ("{ type: array }", .type(.array)), ("{ prefix: a }", .value(.prefix("a"))),
            (
                "{ type: string, prefix: a, not: b }",
                .all([.type(.string), .value(.prefix("a")), .value(.not(.equals("b")))])
            ),
        ] as [(String, JSONTest)]
    )
    func theValueAtAPathIsTested(_ text: String, _ test: JSONTest) throws {
        let matcher = try self.matcher("url: /\nbody:\n  jsonPath:\n    $.a: \(text)\n    $.b: 1")
        #expect(
            matcher.body == [
                .jsonPath(try JSONPath("$.a"), test), .jsonPath(try JSONPath("$.b"), .value(.equals("1"))),
            ]
        )
    }

    // MARK: Combinations

    @Test func matchersMayContainMatchers() throws {
        let matcher = try self.matcher(
            """
            host: a.test
            state: { cart: full, user: null }
            all:
              - headers: { a: b }
            any:
              - url: /x
              - method: GET
            not: { cookies: { c: d } }
            """
        )
        #expect(matcher.state == [StateEntry("cart", "full"), StateEntry("user", nil)])
        #expect(matcher.all == [RequestMatcher(headers: [RequestMatcher.Field("a", .equals("b"))])])
        #expect(matcher.any == [RequestMatcher(url: .exactPath("/x")), RequestMatcher(methods: ["GET"])])
        #expect(matcher.not == [RequestMatcher(cookies: [RequestMatcher.Field("c", .equals("d"))])])
        #expect(
            try self.matcher("url: /\nnot: [{ method: GET }, { method: PUT }]").not.map(\.methods) == [
                ["GET"], ["PUT"],
            ]
        )
        #expect(try self.matcher("url: /\nheaders: {}\ncookies:\nall: []") == RequestMatcher(url: .exactPath("/")))
    }
}
