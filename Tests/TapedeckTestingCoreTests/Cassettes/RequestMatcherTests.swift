import Foundation
import TapedeckCassettes
import TapedeckCore
import TapedeckTestingCore
import Testing

@Suite("Request matchers")
struct RequestMatcherTests {
    @Test("mean the same as in a file, and to a session", arguments: RequestSamples.all.indices)
    func samples(_ index: Int) throws {
        let (matcher, lines) = RequestSamples.all[index]
        let braces = lines.hasPrefix("{ ")
        let byHand =
            if braces {
                try Reading.cassette(
                    """
                    tapedeck: 1
                    responseSets:
                      - { name: a, request: \(lines), variants: [{ name: b, takes: [{ status: 200 }] }] }
                    """
                ).responseSets[0]
            } else {
                try Reading.set(request: lines)
            }
        let built = ResponseSet("a", matcher) { Variant("b", .status(200)) }
        #expect(try Reading.cassette(Cassette { built }.yaml).responseSets == [byHand])
        #expect(try Reading.set(built.json) == byHand)
        var question = try Reading.matcher(matcher.json)
        // A query need not have the conditions on the URL that a set must have.
        if question.url == .any, question.host == nil { question.url = byHand.request.url }
        #expect(question == byHand.request)
    }

    @Test(
        "are described in a few words",
        arguments: [
            (.post("/login"), "POST /login"),
            (.get("/users/{id}").query("page", 2), "GET /users/{id} with query page = 2"),
            (.any, "any request"),
            (.any("/x"), "any /x"),
            (.methods(["GET", "HEAD"], "/x").host("a.test"), "GET or HEAD /x at a.test"),
            (.host("a.test", "b.test"), "any request at a.test or b.test"),
            (.get(pattern: "/a.*").host(pattern: "b"), "GET matching /a.* at a host matching b"),
            (
                .get("/x").otherQuery(.refused).header("accept", .contains("json")).cookie("a", .absent),
                "GET /x with no other query, header accept contains \"json\", cookie a is absent"
            ),
            (.post("/x").json(["a": 1, "b": "é"], ignoring: ["$.c"]), #"POST /x with JSON {"a":1,"b":"é"}"#),
            (.post("/x").jsonPath("$.a", .greaterThan(1), count: 2), "POST /x with $.a > 1 and count = 2"),
            (
                .post("/x").form("a", .oneOf("1", "2")).state("b", nil).state("c", "d"),
                #"POST /x with field a is one of ["1","2"], state b not set, state c = d"#
            ),
            (
                .post("/x").multipart("a", .init(filename: .suffix(".jpg"))).graphQL("Q", variables: ["a": 1]),
                #"POST /x with part a filename ends with ".jpg", GraphQL operation = Q and variables {"a":1}"#
            ),
            (.get("/a").or(.head("/b")), "GET /a or HEAD /b"),
            (
                .get("/a").or(.head("/b")).query("c", .not("d")),
                "any request with query c not (= d), (GET /a) or (HEAD /b)"
            ),
            (
                .get("/a").and(.host("b.test")).not(.any.text(.pattern("c"))),
                "GET /a with (any request at b.test), not (any request with body matches /c/)"
            ),
        ] as [(RequestMatcher, String)]
    )
    func descriptions(_ matcher: RequestMatcher, _ words: String) {
        #expect(matcher.description == words)
    }

    // MARK: Requests

    private func meets(
        _ matcher: RequestMatcher,
        _ method: String,
        _ url: String,
        _ headers: [String: String] = [:],
        body: String? = nil
    ) throws -> Bool {
        let set = try Reading.set(ResponseSet("a", matcher) { Variant("b", .status(200)) }.json)
        let key = RequestKey(method: method, url: try #require(AbsoluteURL(url)))
        let matchRequest = MatchRequest(
            key,
            fields: headers.map { HeaderField($0.key, $0.value) },
            body: ObservedBody(bytes: Array((body ?? "").utf8), sha256: "")
        )
        return Tape([TapedeckCore.Cassette(name: "a", responseSets: [set])]).match(matchRequest) != nil
    }

    @Test("with only a path match any host and any query")
    func pathAlone() throws {
        #expect(try self.meets(.get("/x"), "GET", "https://a.test/x"))
        #expect(try self.meets(.get("/x"), "GET", "http://b.test:8080/x?page=2"))
        #expect(try !self.meets(.get("/x"), "POST", "https://a.test/x"))
        #expect(try !self.meets(.get("/x"), "GET", "https://a.test/x/"))
        #expect(try !self.meets(.get("/x"), "GET", "https://a.test/y"))
    }

    @Test("with a whole URL match only that origin, and any query")
    func wholeURL() throws {
        #expect(try self.meets(.get("https://a.test/x"), "GET", "https://a.test/x?page=2"))
        #expect(try !self.meets(.get("https://a.test/x"), "GET", "http://a.test/x"))
        #expect(try !self.meets(.get("https://a.test/x"), "GET", "https://b.test/x"))
    }

    @Test("with a query match only that query, in any order of names")
    func query() throws {
        #expect(try self.meets(.get("/x?a=1&b=2"), "GET", "https://a.test/x?b=2&a=1"))
        #expect(try !self.meets(.get("/x?a=1"), "GET", "https://a.test/x?a=1&b=2"))
        #expect(try !self.meets(.get("/x?a=1"), "GET", "https://a.test/x"))
        #expect(try self.meets(.get("/x").query("a", "1"), "GET", "https://a.test/x?b=2&a=1"))
        #expect(try !self.meets(.get("/x").query("a", "1").otherQuery(.refused), "GET", "https://a.test/x?b=2&a=1"))
        #expect(try self.meets(.get("/x").otherQuery(.refused), "GET", "https://a.test/x"))
        #expect(try !self.meets(.get("/x").otherQuery(.refused), "GET", "https://a.test/x?a=1"))
    }

    @Test("with a query in their template cannot allow other parameters")
    func queryOfTemplate() throws {
        #expect(throws: (any Error).self) {
            try self.meets(.get("/{a}?b={c}").otherQuery(.allowed), "GET", "https://a.test/x?b=1&d=2")
        }
        #expect(try self.meets(.get("/{a}?b={c}").otherQuery(.refused), "GET", "https://a.test/x?b=1"))
        #expect(try self.meets(.get("/{a}").otherQuery(.allowed), "GET", "https://a.test/x?b=1"))
    }

    @Test("without conditions match every request")
    func any() throws {
        #expect(try self.meets(.any, "PURGE", "http://a.test/x/y?z=%0A"))
        #expect(try self.meets(.any.header("a", "b"), "GET", "https://a.test/", ["A": "b"]))
        #expect(try !self.meets(.any.header("a", "b"), "GET", "https://a.test/"))
    }

    @Test("require every condition on a parameter, and combine with or and not")
    func combined() throws {
        let between = RequestMatcher.get("/x").query("a", .greaterThan(1)).query("a", .lessThan(10))
        #expect(try self.meets(between, "GET", "https://a.test/x?a=5"))
        #expect(try !self.meets(between, "GET", "https://a.test/x?a=50"))
        let either = RequestMatcher.get("/x").or(.post("/y"))
        #expect(try self.meets(either, "GET", "https://a.test/x"))
        #expect(try self.meets(either, "POST", "https://a.test/y"))
        #expect(try !self.meets(either, "POST", "https://a.test/x"))
        let limited = either.header("a", .present)
        #expect(try self.meets(limited, "GET", "https://a.test/x", ["a": ""]))
        #expect(try !self.meets(limited, "GET", "https://a.test/x"))
        #expect(try self.meets(.get("/x").not(.host("b.test")), "GET", "https://a.test/x"))
        #expect(try !self.meets(.get("/x").not(.host("b.test")), "GET", "https://b.test/x"))
        #expect(try !self.meets(.get("/x").not(.any), "GET", "https://b.test/x"))
    }

    @Test("match bodies with equal JSON")
    func bodies() throws {
        let matcher = RequestMatcher.post("/x").json(["id": "{{any.uuid}}", "n": 1, "t": "a\u{85}b\r\n"])
        let id = "7F1A2C58-9C0D-4A61-9F0E-6B0E6F1A2C58"
        #expect(
            try self.meets(matcher, "POST", "https://a.test/x", body: #"{"n":1.0,"t":"a\u0085b\r\n","id":"\#(id)"}"#)
        )
        #expect(
            try !self.meets(matcher, "POST", "https://a.test/x", body: #"{"n":2,"t":"a\u0085b\r\n","id":"\#(id)"}"#)
        )
    }
}
