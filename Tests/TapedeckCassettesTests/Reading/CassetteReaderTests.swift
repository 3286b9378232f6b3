import TapedeckCassettes
import TapedeckCore
import Testing

/// What a person may write by hand, and what it means.
@Suite
struct CassetteReaderTests {
    private func read(_ text: String) throws -> Cassette {
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)")
        return result.cassette
    }

    private func take(_ lines: String) throws -> Take {
        try #require(try self.read(CassetteText.take(lines)).responseSets.first?.variants.first?.takes.first)
    }

    private func matcher(_ lines: String) throws -> RequestMatcher {
        try #require(try self.read(CassetteText.request(lines)).responseSets.first).request
    }

    @Test func readsTheExampleOfTheDesign() throws {
        let cassette = try self.read(
            """
            tapedeck: 1
            about: GitHub search, as the app uses it          # optional
            responseSets:
              - name: search repositories
                request:
                  method: GET
                  url: https://api.github.com/search/repositories
                  query: { q: swift }
                variants:
                  - name: found                               # first = default
                    takes:
                      - status: 200
                        headers:                              # order and duplicates kept
                          - content-type: application/json; charset=utf-8
                        body:
                          json: |
                            {
                              "total_count": 1
                            }
                          layout: compact
                  - name: rate limited
                    takes:
                      - status: 403
                        headers:
                          - retry-after: "60"
                        body: { text: API rate limit exceeded }
                  - name: offline
                    fault: connectionReset

            """
        )
        #expect(cassette.name == "test")
        #expect(cassette.path == "test.yaml")
        #expect(cassette.about == "GitHub search, as the app uses it")
        let set = try #require(cassette.responseSets.first)
        #expect(set.name == "search repositories")
        #expect(set.request.method == "GET")
        #expect(set.request.url.description == "https://api.github.com/search/repositories?q=swift")
        #expect(set.variants.map(\.name) == ["found", "rate limited", "offline"])
        let found = try #require(set.variants[0].takes.first)
        #expect(found.headers == [HeaderField("content-type", "application/json; charset=utf-8")])
        guard case .inline(let body) = found.body else {
            Issue.record("no inline body")
            return
        }
        #expect(body.decoded == Array(#"{"total_count":1}"#.utf8))
        #expect(set.variants[1].takes[0].headers == [HeaderField("retry-after", "60")])
        #expect(set.variants[2].takes == [Take(fault: .connectionReset)])
    }

    @Test(arguments: [
        "tapedeck: 1\n", "tapedeck: 1\nresponseSets:\n", "tapedeck: 1\nresponseSets: []\n", "{tapedeck: 1}",
    ])
    func aCassetteMayHoldNothingYet(_ text: String) throws {
        #expect(try self.read(text).responseSets.isEmpty)
    }

    @Test(
        arguments: [
            ("headers:\n  - A: 1\n  - a: 2\n  - A: 1", [("A", "1"), ("a", "2"), ("A", "1")]),
            ("headers:\n  A: 1\n  B: two words", [("A", "1"), ("B", "two words")]),
            ("headers: { A: 1, B: true }", [("A", "1"), ("B", "true")]),
            ("headers:\n  Set-Cookie: [a=1, b=2]\n  X: y", [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X", "y")]),
            ("headers:\n  - A: 1\n    B: 2", [("A", "1"), ("B", "2")]),
            ("headers:\n  - A: ''\n  - B:", [("A", ""), ("B", "")]),
            ("headers:", []), ("headers: []", []), ("headers: {}", []), ("headers: ~", []),
        ] as [(String, [(String, String)])]
    )
    func headersAreAListOrAMapping(_ lines: String, _ fields: [(String, String)]) throws {
        let take = try self.take("status: 200\n\(lines)")
        #expect(take.headers == fields.map { HeaderField($0, $1) })
    }

    @Test(
        arguments: [
            ("url: https://a.test/p", "https://a.test/p"), ("url: https://a.test", "https://a.test/"),
            ("url: https://a.test/p\nquery: { q: swift, page: 2 }", "https://a.test/p?q=swift&page=2"),
            ("url: https://a.test/p?x=1\nquery: { q: swift }", "https://a.test/p?x=1&q=swift"),
            ("url: https://a.test/p\nquery:\n  tag: [a, b]", "https://a.test/p?tag=a&tag=b"),
            ("url: https://a.test/p\nquery: { q: 'a b&c=d#e+f%g' }", "https://a.test/p?q=a%20b%26c%3Dd%23e%2Bf%25g"),
            ("url: https://a.test/p\nquery: { 'q[]': é, empty: '' }", "https://a.test/p?q%5B%5D=%C3%A9&empty="),
            ("url: https://a.test/p\nquery: { path: a/b?c:d@e }", "https://a.test/p?path=a/b?c:d@e"),
            ("url: https://a.test/p\nquery: {}", "https://a.test/p"),
            ("url: HTTPS://A.Test:443/p#fragment", "https://a.test/p"),
        ]
    )
    func theQueryMayStandApartFromTheURL(_ lines: String, _ url: String) throws {
        #expect(try self.matcher(lines).url.description == url)
    }

    @Test func theMethodMayBeLeftOpen() throws {
        #expect(try self.matcher("url: https://a.test/").method == nil)
        #expect(try self.matcher("url: https://a.test/\nmethod: DELETE").method == "DELETE")
        #expect(try self.matcher("url: https://a.test/").body == nil)
    }

    @Test(
        arguments: [
            ("body: { text: a b }", .bytes(InlineBody(form: .text, content: Array("a b".utf8)))),
            ("body: { text: '' }", .bytes(InlineBody(form: .text, content: []))),
            ("body: { base64: /wA= }", .bytes(InlineBody(form: .base64, content: [0xFF, 0]))),
            ("body: { json: '{\"a\": 1}' }", .json(InlineBody(form: .json, content: Array("{\"a\": 1}".utf8)))),
            (
                "body:\n  json: |\n    [1]\n  layout: compact",
                .json(InlineBody(form: .json, content: Array("[1]\n".utf8), layout: .compact))
            ),
            (
                "body: { sha256: \(String(repeating: "0aF", count: 21))9 }",
                .sha256(String(repeating: "0af", count: 21) + "9")
            ),
        ] as [(String, BodyMatcher)]
    )
    func aConditionOnTheBodyHasManyForms(_ lines: String, _ condition: BodyMatcher) throws {
        #expect(try self.matcher("url: https://a.test/\n\(lines)").body == condition)
    }

    @Test(
        arguments: [
            ("body: { text: hello }", .inline(InlineBody(form: .text, content: Array("hello".utf8)))),
            ("body: { text: 404 }", .inline(InlineBody(form: .text, content: Array("404".utf8)))),
            ("body: { text: '' }", StoredBody.none),
            (
                "body:\n  text: |\n    one\n      two\n",
                .inline(InlineBody(form: .text, content: Array("one\n  two\n".utf8)))
            ),
            ("body: { text: \"a\\r\\nb\\0\" }", .inline(InlineBody(form: .text, content: Array("a\r\nb\0".utf8)))),
            ("body:\n  base64: |\n    AAEC\n    AwQ=", .inline(InlineBody(form: .base64, content: [0, 1, 2, 3, 4]))),
            (
                "body: { json: '[1]', layout: spaced-line, encoding: deflate }",
                .inline(InlineBody(form: .json, content: Array("[1]".utf8), layout: .spacedLine, coding: .deflate))
            ),
        ] as [(String, StoredBody)]
    )
    func aBodyHasManyForms(_ lines: String, _ body: StoredBody) throws {
        #expect(try self.take("status: 200\n\(lines)").body == body)
    }

    @Test func aLongBodyIsTheSameAsAShortOneButForItsLength() throws {
        let lines = (0..<200).map { "line \($0) é" }
        let take = try self.take("status: 200\nbody:\n  text: |\n    \(lines.joined(separator: "\n    "))")
        let content = Array((lines.joined(separator: "\n") + "\n").utf8)
        #expect(take.body == .inline(InlineBody(form: .text, content: content)))
    }

    @Test func aBodyMayStandInAFileBesideTheCassette() throws {
        let folder = try TemporaryFolder()
        try folder.write("hello", to: "bodies/a b.txt")
        let text = CassetteText.take("status: 200\nbody: { file: bodies/a b.txt, encoding: gzip }")
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: folder.path("test.yaml"))
        #expect(result.diagnostics.isEmpty)
        let file = BodyFile(name: "bodies/a b.txt", path: folder.path("bodies/a b.txt"), size: 5, coding: .gzip)
        #expect(result.cassette.responseSets.first?.variants.first?.takes.first?.body == .file(file))
    }

    @Test func aTakeHoldsAllThatCrossedTheWire() throws {
        let take = try self.take(
            """
            status: 206
            reason: Some of It
            recorded: 2026-11-21T10:00:00Z
            detail: seen
            endsAtClose: true
            interim:
              - status: 103
                headers:
                  - Link: </a>
              - status: 102
            headers: { A: b }
            body: { text: hi }
            trailers: { Digest: x }
            request:
              headers: { Accept: '*/*' }
              body: { text: sent }
            """
        )
        var expected = Take(status: 206, reason: "Some of It", endsAtClose: true, detail: "seen")
        expected.recorded = "2026-11-21T10:00:00Z"
        expected.interim = [
            Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")]), Take.Interim(status: 102, headers: []),
        ]
        expected.headers = [HeaderField("A", "b")]
        expected.body = .inline(InlineBody(form: .text, content: Array("hi".utf8)))
        expected.trailers = [HeaderField("Digest", "x")]
        expected.request = Take.Request(
            headers: [HeaderField("Accept", "*/*")],
            body: .inline(InlineBody(form: .text, content: Array("sent".utf8)))
        )
        #expect(take == expected)
    }

    @Test(arguments: Fault.allCases)
    func aFaultIsATakeOrAVariant(_ fault: Fault) throws {
        let text = CassetteText.take(fault == .truncatedBody ? "status: 200\nfault: \(fault)" : "fault: \(fault)")
        let take = try #require(try self.read(text).responseSets.first?.variants.first?.takes.first)
        #expect(take == Take(fault: fault))
        let variant = CassetteText.variant("name: b\nfault: \(fault)")
        #expect(try self.read(variant).responseSets.first?.variants.first?.takes == [Take(fault: fault)])
    }

    @Test(arguments: ["", "''", "\"\""])
    func aReasonMayBeEmpty(_ reason: String) throws {
        #expect(try self.take("status: 200\nreason: \(reason)").reason == "")
    }

    @Test func carriageReturnsAtLineEndsDoNotMatter() throws {
        let text = CassetteText.take("status: 200\nheaders:\n  - A: b").replacing("\n", with: "\r\n")
        #expect(try self.read(text).responseSets.first?.variants.first?.takes.first?.headers == [HeaderField("A", "b")])
    }
}
