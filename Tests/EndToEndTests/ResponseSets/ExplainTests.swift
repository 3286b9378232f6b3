import Foundation
import Testing

/// The reasons for an answer: `tapedeck explain`, and the short form in the 501, the log and the summary.
@Suite(.ownThreads) struct ExplainTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: search
            request:
              method: GET
              urlTemplate: https://api.example.com/search/{kind}
              query: { q: { present: true } }
              headers: { Accept: { contains: json } }
            variants:
              - { name: found, takes: [{ status: 200, body: { text: found } }] }
              - { name: nothing, takes: [{ status: 404 }] }
          - name: login
            request:
              method: POST
              url: https://api.example.com/login
              body: { jsonSubset: '{"user": "ada", "password": "right"}' }
            requires: { account: open }
            variants: [{ name: welcome, empty: true }]
          - name: everything there
            request: { host: api.example.com }
            priority: -1
            variants: [{ name: teapot, empty: 418 }]
        state: { account: open }

        """
    private static let search = "https://api.example.com/search/code?q=swift"

    private static func folder(_ cassette: String = Self.cassette) throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(cassette, to: "cassettes/x.yaml")
        return folder
    }

    /// The cassette without the set that answers everything.
    private static var strict: String {
        Self.cassette.replacing("host: api.example.com }", with: "host: other.example.com }")
    }

    @Test func `explain shows the set and variant that answer, the rule, and the alternatives`() throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck("explain", "x", "GET", Self.search, "--header", "Accept: application/json")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let text = result.outputText
        #expect(text.hasPrefix("GET \(Self.search) is answered by \"search\" of x\n"), "\(text)")
        for words in ["variant   found", "URL template", "kind = code", "query q", "header Accept"] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        #expect(text.contains("\"everything there\" of x, variant teapot: asked later: priority -1, not 0"), "\(text)")
    }

    @Test func `explain reads a body from a file, and the selections of a run`() throws {
        let folder = try Self.folder()
        try folder.write(#"{"password":"right","user":"ada","more":1}"#, to: "body.json")
        func login(_ options: String...) throws -> Program.Result {
            let request = ["POST", "https://api.example.com/login", "--body", "@body.json"]
            return try folder.tapedeck(["explain", "x"] + request + options)
        }
        #expect(try login().outputText.contains("is answered by \"login\""))
        let selected = try login("--profile", "server-error=login")
        #expect(selected.outputText.contains("server-error (built in)"), "\(selected.outputText)")
        let closed = try login("--state", "account=closed")
        #expect(closed.outputText.contains("is answered by \"everything there\""), "\(closed.outputText)")
    }

    @Test(arguments: [("gzip", "gzip"), ("deflate", "zlib")])
    func `explain decodes a body, and its digest is that of the coded bytes`(
        _ coding: String,
        module: String
    ) throws {
        let folder = try Self.folder(Self.strict)
        let script = """
            import gzip, hashlib, zlib
            coded = \(module).compress(b'{"password":"right","user":"ada"}')
            open("body", "wb").write(coded)
            print(hashlib.sha256(coded).hexdigest(), end="")
            """
        let digest = try folder.run(["python3", "-c", script]).outputText
        let request = ["POST", "https://api.example.com/login", "--body", "@body"]
        let header = ["--header", "Content-Encoding: \(coding)"]
        let coded = try folder.tapedeck(["explain", "x"] + request + header)
        #expect(coded.outputText.contains("is answered by \"login\""), "\(coded.outputText)")
        // Without `Content-Encoding`.
        #expect(try folder.tapedeck(["explain", "x"] + request).exitCode == 70)
        let same = PlayedCassette.naming(("same", "{ host: api.example.com, body: { sha256: \(digest) } }"))
        try folder.write(same, to: "cassettes/y.yaml")
        let found = try folder.tapedeck(["explain", "y"] + request + header)
        #expect(found.outputText.contains("is answered by \"same\""), "\(found.outputText)")
    }

    @Test func `without an answer, explain shows the nearest sets part by part`() throws {
        let folder = try Self.folder(Self.strict)
        let result = try folder.tapedeck("explain", "x", "GET", Self.search, "--header", "Accept: text/html")
        #expect(result.exitCode == 70)
        let text = result.outputText
        #expect(text.hasPrefix("nothing on tape answers GET \(Self.search)\n"), "\(text)")
        #expect(text.contains("near is \"search\" of x"))
        #expect(text.contains("ok  method"))
        #expect(
            text.firstMatch(of: #/no  header Accept +is text/html, the tape has a text with "json" in it/#) != nil,
            "\(text)"
        )
        let near = text.components(separatedBy: "near is ").dropFirst().map { $0.prefix { $0 != "\n" } }
        #expect(near == ["\"search\" of x"])
        let elsewhere = try folder.tapedeck("explain", "x", "GET", "https://api.example.com/find").outputText
        #expect(elsewhere.contains("near is \"search\" of x") && elsewhere.contains("near is \"login\" of x"))
        let other = try folder.tapedeck("explain", "x", "GET", "https://unknown.example.com/")
        #expect(other.exitCode == 70)
        #expect(other.outputText.contains("nothing is for https://unknown.example.com"))
    }

    @Test func `explain has JSON for programs`() throws {
        struct Explained: Decodable {
            struct Candidate: Decodable {
                var set: String
                var variant: String
                var captures: [String: String]
            }
            var answered: Bool
            var answer: Candidate?
            var others: [Candidate]
        }
        let folder = try Self.folder()
        let options = ["--header", "Accept: application/json", "--select", "search=nothing", "--json"]
        let result = try folder.tapedeck(["explain", "x", "GET", Self.search] + options)
        let explained = try JSONDecoder().decode(Explained.self, from: result.output)
        #expect(explained.answered)
        #expect(explained.answer?.set == "search" && explained.answer?.variant == "nothing")
        #expect(explained.answer?.captures["kind"] == "code")
        #expect(explained.others.map(\.set) == ["everything there"])
    }

    @Test(arguments: [
        ["x", "GET"], ["x", "GET", "/search"], ["x", "G T", "https://api.example.com/"],
        ["x", "GET", "https://api.example.com/", "--header", "no colon"],
        ["x", "GET", "https://api.example.com/", "--body", "@nowhere"],
        ["x", "GET", "https://api.example.com/", "--select", "search=fond"],
    ])
    func `explain refuses an invalid request`(_ arguments: [String]) throws {
        let result = try Self.folder().tapedeck(["explain"] + arguments)
        #expect(result.exitCode == 64, "\(result.outputText) \(result.errorText)")
        #expect(!result.errorText.isEmpty)
        #expect(result.outputText.isEmpty)
    }

    @Test func `a 501, its header, and the log give the same reason, and the terminal shows it once`() throws {
        let played = try PlayedCassette(Self.strict)
        let answer = try played.response("-H", "Accept: text/html", Self.search)
        #expect(answer.status == 501)
        #expect(answer.values("x-tapedeck-unmatched") == ["true"])
        let reason = try #require(answer.values("x-tapedeck-reason").first)
        #expect(reason.hasPrefix("nearest is \"search\": header Accept is text/html"), "\(reason)")
        #expect(
            answer.text.contains(#"header Accept is text/html, the tape has a text with \"json\" in it"#),
            "\(answer.text)"
        )
        #expect(answer.text.contains(#""reason": "noMatch""#))
        let printed = try played.stop()
        // Once: the summary does not repeat the log.
        #expect(printed.components(separatedBy: reason).count == 2, "\(printed)")
    }

    @Test func `no output contains a secret`() throws {
        let secret = "tell-nobody-4711"
        let played = try PlayedCassette(
            PlayedCassette.naming(
                ("private", "{ url: http://a.example/x, headers: { Authorization: 'Bearer \(secret)-taped' } }")
            )
        )
        let request = ["-H", "Authorization: Bearer \(secret)", "-b", "session=\(secret)"]
        let answer = try played.folder.run(Curl.through(played.deck) + ["-i"] + request + ["http://a.example/x"])
        #expect(answer.outputText.contains("header Authorization is"), "\(answer.outputText)")
        let explained = try played.folder.tapedeck(
            "explain",
            "x",
            "GET",
            "http://a.example/x",
            "--header",
            "Authorization: Bearer \(secret)"
        )
        #expect(explained.exitCode == 70)
        let printed = try played.stop()
        for text in [answer.outputText, printed, explained.outputText, explained.errorText] {
            #expect(!text.contains(secret), "\(text)")
        }
    }

    @Test func `unused sets are listed at the end`() throws {
        let sets = (1...14).map { (name: "set \($0)", request: "{ url: http://a.example/\($0) }") }
        let played = try PlayedCassette(PlayedCassette.naming(sets))
        #expect(try played.ask("http://a.example/2") == "set 2")
        let summary = try played.stop()
        #expect(summary.contains("never requested: \"set 1\", \"set 3\", "), "\(summary)")
        #expect(summary.contains("\"set 11\" and 3 more"), "\(summary)")
    }

    @Test func `a tie that only the order in the file decides is a warning of check`() throws {
        let folder = try Self.folder(
            PlayedCassette.naming(
                ("by id", "{ method: GET, urlTemplate: 'http://a.example/users/{id}' }"),
                ("by name", "{ method: GET, urlTemplate: 'http://a.example/users/{name}' }")
            )
        )
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 0)
        #expect(
            check.outputText.contains(
                #"cassettes/x.yaml:8:5: warning: "by name" ties with "by id" (line 3) for GET http://a.example/users/"#
            ),
            "\(check.outputText)"
        )
        #expect(check.outputText.contains("give one a `priority`"))
        let text = try folder.read("cassettes/x.yaml").replacing(
            "name: by name\n",
            with: "name: by name\n    priority: 1\n"
        )
        try folder.write(text, to: "cassettes/x.yaml")
        #expect(try folder.tapedeck("check", "x").outputText.contains("no problems"))
    }

    @Test(arguments: [
        ("urlPattern: 'http://a\\.example/(x'", "no regular expression"),
        ("urlTemplate: 'http://a.example/{x'", "no template"),
        ("urlPatern: x", "did you mean `urlPattern`?"),
        ("url: http://a.example/, body: { json: '{\"id\": \"{{any.uid}}\"}' }", "{{any.uuid}}"),
        ("url: http://a.example/, body: { jsonPath: { '$.a[': 1 } }", "JSONPath"),
    ])
    func `an invalid matcher is reported with its line`(_ request: String, words: String) throws {
        let folder = try Self.folder(PlayedCassette.naming(("x", "{ \(request) }")))
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 65, "\(check.outputText)")
        #expect(check.outputText.contains("cassettes/x.yaml:4:"), "\(check.outputText)")
        #expect(check.outputText.contains(words), "\(check.outputText)")
    }
}
