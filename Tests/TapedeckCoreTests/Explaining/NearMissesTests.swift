import Testing

@testable import TapedeckCore

@Suite
struct NearMissesTests {
    private func nearest(
        _ method: String,
        _ url: String,
        _ sets: [ResponseSet],
        headers: [HeaderField] = [],
        body: String? = nil
    ) throws -> [UnmatchedReport.NearMiss] {
        let matchRequest = try Samples.matchRequest(method, url, headers: headers, body: body)
        let tapes = TapeStack(Tape([Samples.cassette(sets)]))
        return NearMisses(tapes: tapes).find(RequestFacts(matchRequest, scratch: PatternScratch()))
    }

    @Test func nearerComesFirst() throws {
        // In the order in which they are near to POST https://example.com/users/1?page=2.
        let ordered = try [
            Samples.set("query", "POST", "https://example.com/users/1?page=3"),
            Samples.set("method", "GET", "https://example.com/users/1?page=2"),
            Samples.set("method and query", "GET", "https://example.com/users/1"),
            Samples.set("scheme", "POST", "http://example.com/users/1?page=2"),
            Samples.set("last part", "POST", "https://example.com/users/2?page=2"),
            Samples.set("more of the path", "POST", "https://example.com/use"),
            Samples.set("another path", "POST", "https://example.com/repositories/42"),
            Samples.set("path and method", "GET", "https://example.com/users/2?page=2"),
        ]
        for first in ordered.indices {
            let rest = Array(ordered[first...].reversed())
            let found = try self.nearest("POST", "https://example.com/users/1?page=2", rest)
            #expect(found.map(\.set) == ordered[first...].prefix(3).map(\.name))
        }
    }

    @Test func methodAndOriginOutrankCounts() throws {
        let wanted = ["a", "b", "c", "d"].map { RequestMatcher.Field("x-\($0)", .present) }
        let sets = try [
            Samples.set("method", "PUT", "https://example.com/a"),
            Samples.set(
                "headers",
                RequestMatcher(methods: ["GET"], url: .exact(try Samples.url("https://example.com/a")), headers: wanted)
            ),
        ]
        let found = try self.nearest("GET", "https://example.com/a", sets)
        #expect(found.map(\.set) == ["headers", "method"])
    }

    @Test func setsOfOtherHostsAreNotNearMisses() throws {
        let sets = try [
            Samples.set("other host", "GET", "https://example.org/a"),
            Samples.set("subdomain", "GET", "https://www.example.com/a"),
            Samples.set("port", "GET", "https://example.com:8443/a"),
            Samples.set("host condition", RequestMatcher(host: .names(["example.org"]))),
        ]
        let found = try self.nearest("GET", "https://example.com/a", sets)
        #expect(found.map(\.set) == ["port"])
        #expect(found[0].differences == ["origin is https://example.com, the tape has https://example.com:8443"])
    }

    @Test func fileOrderDecidesBetweenEqualNearMisses() throws {
        let sets = try ["x", "y", "z", "w"].map { try Samples.set($0, "GET", "https://example.com/a?q=\($0)") }
        #expect(try self.nearest("GET", "https://example.com/a", sets).map(\.set) == ["x", "y", "z"])
    }

    @Test(
        arguments: [
            ("DELETE", "/a?q=1&r=2", ["method is DELETE, the tape has GET"]),
            ("GET", "/b?q=1&r=2", ["path is /b, the tape has /a"]),
            ("GET", "/a?q=1&r=3", ["query r is 3, the tape has 2"]),
            ("GET", "/a?q=1", ["query r is missing, the tape has 2"]),
            ("GET", "/a?q=1&r=2&s=3", ["query s is 3, the tape does not have it"]),
            ("GET", "/a?q=1&r=2&r=3", ["query r is 2, 3, the tape has 2"]),
            (
                "PUT", "/a?q=2",
                [
                    "method is PUT, the tape has GET", "query q is 2, the tape has 1",
                    "query r is missing, the tape has 2",
                ]
            ),
        ] as [(String, String, [String])]
    )
    func reportsEachDifference(_ method: String, _ target: String, _ differences: [String]) throws {
        let set = try Samples.set("a", "GET", "https://example.com/a?q=1&r=2")
        let found = try self.nearest(method, "https://example.com\(target)", [set])
        #expect(found.first?.differences == differences)
    }

    @Test func reportsThePathsAtWhichAJSONBodyDiffers() throws {
        let set = try Samples.set(
            "a",
            "POST",
            "https://example.com/a",
            body: Samples.json(#"{"user": {"name": "ada", "password": "1234"}, "n": 1}"#)
        )
        let found = try self.nearest(
            "POST",
            "https://example.com/a",
            [set],
            body: #"{"user": {"name": "bob", "password": "5678"}, "n": 1.0}"#
        )
        #expect(
            found.first?.differences == [
                #"body $.user.name is "bob", the tape has "ada""#,
                "body $.user.password is (not shown), the tape has another value, not shown",
            ]
        )
    }

    @Test(arguments: [5, 6])
    func ofMoreDifferencesThanAreShownNoneIsToBeIgnored(_ count: Int) throws {
        func body(_ value: Int) -> String { "{\((0..<count).map { "\"m\($0)\": \(value)" }.joined(separator: ", "))}" }
        let set = try Samples.set("a", "POST", "https://example.com/a", body: Samples.json(body(1)))
        let found = try #require(try self.nearest("POST", "https://example.com/a", [set], body: body(2)).first)
        #expect(found.differences.count == 5)
        let ignoring = found.ignoring
        #expect(ignoring?.hasPrefix("if it may differ: tapedeck ignore ") == (count == 5))
        if count > 5 { #expect(ignoring == "if its body may differ, remove `body` from \"a\"") }
    }

    @Test func secretsAreNotShown() throws {
        let set = Samples.set(
            "a",
            RequestMatcher(
                methods: ["GET"],
                url: .exact(try Samples.url("https://example.com/a")),
                headers: [.init("Authorization", .equals("Bearer right")), .init("accept", .equals("text/plain"))],
                cookies: [.init("sid", .equals("tape"))]
            )
        )
        let fields = [
            HeaderField("authorization", "Bearer wrong"), HeaderField("accept", "*/*"),
            HeaderField("cookie", "sid=mine"),
        ]
        let differences = try #require(
            try self.nearest("GET", "https://example.com/a", [set], headers: fields).first?.differences
        )
        #expect(differences.contains("header accept is */*, the tape has text/plain"))
        #expect(differences.count == 3)
        for secret in ["right", "wrong", "mine", "is tape"] {
            #expect(!differences.joined().contains(secret))
        }
    }

    @Test func secretsInTheURLStateAndBodiesAreNotShown() throws {
        let set = Samples.set(
            "a",
            RequestMatcher(
                methods: ["POST"],
                url: .exact(try Samples.url("https://example.com/a?access-token=tapes")),
                body: [.jsonPath(try JSONPath("$.user"), .value(.equals("x"))), .text(.contains("password=tapes"))]
            ),
            requires: [StateEntry("apiToken", "tapes")]
        )
        let url = "https://example.com/a?access-token=hunter2&private_token=hunter2&x=1"
        let matchRequest = try Samples.matchRequest("POST", url, body: #"{"user": {"password": "hunter2"}}"#)
        let report = TapeStack(Tape([Samples.cassette([set])]))
            .explainMiss(matchRequest, state: ["apiToken": "hunter2"], reason: .noMatch, session: "s", mode: .replay)
        #expect(report.nearest.first?.differences.isEmpty == false)
        for text in [report.json.pretty, report.summary, report.headerValue, "\(report.request)"] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("tapes"))
        }
        #expect("\(report.request)" == "POST https://example.com/a?access-token=...&private_token=...&x=1")
    }

    @Test func controlCharactersOfARequestDoNotReachATerminal() throws {
        let set = try Samples.set("a", "GET", "https://example.com/a")
        let found = try self.nearest("GET", "https://example.com/a?x=%1b[31m%0d%0aevil&%0ay=1", [set])
        let text = found.flatMap(\.differences).joined(separator: " ")
        #expect(text.contains(#"\u{1B}[31m\u{D}\u{A}evil"#))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test func anUnexpectedFormFieldIsADifference() throws {
        let fields = [RequestMatcher.Field("user", .equals("ada"))]
        let set = Samples.set(
            "login",
            RequestMatcher(
                methods: ["POST"],
                url: .exact(try Samples.url("https://example.com/a")),
                body: [.form(fields, refusesOthers: true)]
            )
        )
        let found = try self.nearest("POST", "https://example.com/a", [set], body: "user=ada&more=1")
        #expect(found.first?.differences == ["form more is there, the tape does not have it"])
    }

    @Test func reportsTheGraphQLVariablesThatDiffer() throws {
        let variables = InlineBody(form: .json, content: Array(#"{"id": 1}"#.utf8))
        let set = Samples.set(
            "user",
            RequestMatcher(
                methods: ["POST"],
                url: .exact(try Samples.url("https://example.com/graphql")),
                body: [.graphQL(operation: .equals("User"), variables: variables)]
            )
        )
        let body = #"{"query": "query User { a }", "variables": {"id": 2}}"#
        let found = try self.nearest("POST", "https://example.com/graphql", [set], body: body)
        #expect(found.first?.differences == ["GraphQL variables $.id is 2, the tape has 1"])
    }

    @Test func theQueryOfATemplateIsComparedSeparately() throws {
        let set = Samples.set(
            "orders",
            RequestMatcher(url: try Samples.template("https://a.test/orders/{id}?view=full"))
        )
        let other = try Samples.set("catalogue", "GET", "https://a.test/orders")
        let found = try self.nearest("GET", "https://a.test/orders/7?view=short", [other, set])
        #expect(found.first?.set == "orders")
        #expect(found.first?.differences == ["query is view=short, the tape has view=full"])
    }

    @Test func aTemplateIsComparedPathAgainstPath() throws {
        let set = Samples.set(
            "user",
            RequestMatcher(methods: ["GET"], url: try Samples.template("https://example.com/users/{id}"))
        )
        #expect(
            try self.nearest("GET", "https://example.com/user/1", [set]).first?.differences
                == ["path is /user/1, the tape has /users/{id}"]
        )
        #expect(try self.nearest("GET", "https://example.org/users/1", [set]).isEmpty)
    }

    @Test func aMissingStateIsADifference() throws {
        let set = Samples.set(
            "full",
            RequestMatcher(method: "GET", url: try Samples.url("https://example.com/cart")),
            requires: [StateEntry("cart", "full")]
        )
        #expect(
            try self.nearest("GET", "https://example.com/cart", [set]).first?.differences
                == ["state cart is none, the tape has full"]
        )
    }

    @Test func anotherSpellingOfTheSameURLIsNotADifference() throws {
        let set = try Samples.set("a", "POST", "https://example.com/~a?q=%2F&r=1")
        #expect(
            try self.nearest("GET", "https://example.com/%7Ea?r=1&q=%2f", [set]).first?.differences
                == ["method is GET, the tape has POST"]
        )
    }

    @Test func aSetForAnyMethodHasNoMethodDifference() throws {
        let set = try Samples.set("a", nil, "https://example.com/a?x=1")
        #expect(
            try self.nearest("BREW", "https://example.com/a", [set]).first?.differences
                == ["query x is missing, the tape has 1"]
        )
    }
}
