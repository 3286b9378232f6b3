import TapedeckCassettes
import TapedeckCore
import Testing

/// The forms that a person may write, and their meaning.
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
        let url = try #require(AbsoluteURL("https://api.github.com/search/repositories?q=swift"))
        #expect(set.request == RequestMatcher(method: "GET", url: url))
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
    func aCassetteMayBeEmpty(_ text: String) throws {
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

    @Test func aBodyMayBeInAFileBesideTheCassette() throws {
        let folder = try TemporaryFolder()
        try folder.write("hello", to: "bodies/a b.txt")
        let text = CassetteText.take("status: 200\nbody: { file: bodies/a b.txt, encoding: gzip }")
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: folder.path("test.yaml"))
        #expect(result.diagnostics.isEmpty)
        let file = BodyFile(name: "bodies/a b.txt", path: folder.path("bodies/a b.txt"), size: 5, coding: .gzip)
        #expect(result.cassette.responseSets.first?.variants.first?.takes.first?.body == .file(file))
    }

    @Test func aTakeHasEverythingThatWasSentAndReceived() throws {
        let take = try self.take(
            """
            status: 206
            reason: Some of It
            recorded: 2026-11-21T10:00:00Z
            detail: seen
            endsAtClose: true
            pieces: { cut: [1], every: 200ms }
            interim:
              - status: 103
                headers:
                  - Link: </a>
              - status: 102
            headers: { A: b }
            body: { text: hi }
            trailers: { Digest: x }
            request:
              url: https://a.test/x?y=1
              headers: { Accept: '*/*' }
              body: { text: sent }
            """
        )
        var expected = Take(status: 206, reason: "Some of It", endsAtClose: true, detail: "seen")
        expected.recorded = "2026-11-21T10:00:00Z"
        expected.pieces = BodyPieces(.sizes([1]), pace: 200)
        expected.interim = [
            Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")]), Take.Interim(status: 102, headers: []),
        ]
        expected.headers = [HeaderField("A", "b")]
        expected.body = .inline(InlineBody(form: .text, content: Array("hi".utf8)))
        expected.trailers = [HeaderField("Digest", "x")]
        expected.request = Take.Request(
            url: "https://a.test/x?y=1",
            headers: [HeaderField("Accept", "*/*")],
            body: .inline(InlineBody(form: .text, content: Array("sent".utf8)))
        )
        #expect(take == expected)
    }

    @Test(arguments: Fault.allCases)
    func aFaultIsATakeOrAVariant(_ fault: Fault) throws {
        if fault.hasResponse {
            // A client notices this one, so that no warning is needed.
            let body = StoredBody.inline(InlineBody(form: .text, content: Array("ab".utf8)))
            let rest = "fault: \(fault)\nheaders: { content-length: 3 }\nbody: { text: ab }"
            var expected = Take(status: 404, headers: [HeaderField("content-length", "3")], body: body, fault: fault)
            #expect(try self.take("status: 404\n\(rest)") == expected)
            expected.status = 200
            if fault != .truncatedBody { #expect(try self.take(rest) == expected) }
        } else {
            #expect(try self.take("fault: \(fault)") == Take(fault: fault))
            let variant = CassetteText.variant("name: b\nfault: \(fault)")
            #expect(try self.read(variant).responseSets.first?.variants.first?.takes == [Take(fault: fault)])
        }
    }

    @Test(arguments: ["", "''", "\"\""])
    func aReasonMayBeEmpty(_ reason: String) throws {
        #expect(try self.take("status: 200\nreason: \(reason)").reason == "")
    }

    @Test func carriageReturnsAtLineEndsAreIgnored() throws {
        let text = CassetteText.take("status: 200\nheaders:\n  - A: b").replacing("\n", with: "\r\n")
        #expect(try self.read(text).responseSets.first?.variants.first?.takes.first?.headers == [HeaderField("A", "b")])
    }
}
