import Foundation
import Testing

/// Stubs and recordings of other tools answer as they do at home: secrets, order, names and requests without answers.
@Suite(.ownThreads) struct ImportedMeaningTests {
    private static func stub(_ request: String, _ status: Int, _ body: String) -> String {
        #"{"request": {\#(request)}, "response": {"status": \#(status), "body": "\#(body)"}}"#
    }

    private static func login(_ password: String, _ status: Int, _ body: String) -> String {
        Self.stub(
            #""method": "POST", "url": "/login", "bodyPatterns": [{"equalToJson": {"user": "ada", "password": "\#(password)"}}]"#,
            status,
            body
        )
    }

    /// Imports WireMock stubs into the cassette `api`.
    private func imported(_ stubs: [String], in folder: TestFolder) throws -> String {
        try folder.write(#"{"mappings": [\#(stubs.joined(separator: ","))]}"#, to: "api.json")
        let result = try folder.tapedeck("import", "api.json")
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)")
        return try folder.read("cassettes/api.yaml")
    }

    /// The statuses of requests that one replay of a cassette answers, one after the other.
    private func statuses(_ requests: [String], of cassette: String, in folder: TestFolder) throws -> [String] {
        let commands = requests.map { "curl -q -sS -o /dev/null -w '%{http_code} ' \($0)" }
        let script = commands.joined(separator: "; ")
        return try folder.tapedeck("replay", cassette, "--", "sh", "-c", script).outputText
            .split(separator: " ").map(String.init)
    }

    private static func attempt(_ password: String) -> String {
        #"-H 'Content-Type: application/json' -d '{"user":"ada","password":"\#(password)"}' http://api.example.com/login"#
    }

    @Test(arguments: [
        ["right", "wrong", "other"], ["wrong", "other", "right"], ["other", "right", "wrong", "right"],
    ])
    func `two stubs that differ only in a secret answer each their own`(_ passwords: [String]) throws {
        let folder = try TestFolder()
        let text = try self.imported([Self.login("right", 200, "in"), Self.login("wrong", 401, "no")], in: folder)
        #expect(!text.contains("right") && !text.contains("wrong"))
        let wanted = ["right": "200", "wrong": "401", "other": "501"]
        #expect(
            try self.statuses(passwords.map(Self.attempt), of: "api", in: folder) == passwords.map { wanted[$0] ?? "" }
        )
    }

    @Test func `cassettes that play together, or are joined, keep their secrets apart`() throws {
        let folder = try TestFolder()
        func stub(_ path: String, _ password: String) throws {
            let body = #"[{"equalToJson": {"user": "ada", "password": "\#(password)"}}]"#
            let request = #""method": "POST", "url": "\#(path)", "bodyPatterns": \#(body)"#
            try folder.write(Self.stub(request, 200, "in"), to: "\(path.dropFirst()).json")
        }
        func ask(_ path: String, _ password: String) -> String {
            Self.attempt(password).replacing("/login", with: path)
        }
        try stub("/a", "Right-Pass1")
        try stub("/b", "Other-Pass2")
        try stub("/c", "Right-Pass1")
        #expect(try folder.tapedeck("import", "a.json", "b.json").exitCode == 0)
        let asked = [ask("/a", "Right-Pass1"), ask("/b", "Other-Pass2"), ask("/b", "Right-Pass1")]
        let script = asked.map { "curl -q -sS -o /dev/null -w '%{http_code} ' \($0)" }.joined(separator: "; ")
        let together = try folder.tapedeck("replay", "a", "b", "--", "sh", "-c", script).outputText
        #expect(together == "200 200 501 ")
        #expect(try folder.tapedeck("import", "c.json", "--out", "cassettes/a.yaml", "--append").exitCode == 0)
        let both = [ask("/a", "Right-Pass1"), ask("/c", "Right-Pass1"), ask("/c", "Other-Pass2")]
        #expect(try self.statuses(both, of: "a", in: folder) == ["200", "200", "501"])
    }

    @Test func `a stub that the cassette has is not added again, and one that it would hide is reported`() throws {
        let folder = try TestFolder()
        func append(_ body: String) throws -> (code: Int32, text: String) {
            try folder.write(Self.stub(#""method": "GET", "url": "/v""#, 200, body), to: "v.json")
            let result = try folder.tapedeck("import", "v.json", "--append")
            return (result.exitCode, result.outputText + result.errorText)
        }
        #expect(try append("old").code == 0)
        let before = try folder.read("cassettes/v.yaml")
        let again = try append("old")
        #expect(again.code == 1 && again.text.contains("the cassette has it already: 'GET /v'"), "\(again)")
        let changed = try append("new")
        #expect(changed.code == 1 && changed.text.contains("would play: remove it first"), "\(changed)")
        #expect(try folder.read("cassettes/v.yaml") == before)
    }

    @Test func `a stub whose name has a secret is not added again either`() throws {
        let folder = try TestFolder()
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        _ = try self.imported([Self.stub(#""method": "GET", "urlPattern": "/d/\#(key)(/.*)?""#, 200, "in")], in: folder)
        let again = try folder.tapedeck("import", "api.json", "--append")
        #expect(again.exitCode == 1 && again.outputText.contains("the cassette has it already"), "\(again.outputText)")
    }

    @Test func `a secret in a pattern is replaced, and the pattern stays one`() throws {
        let folder = try TestFolder()
        let key = "k9Xq2LmP7vRt4Wz8aB3cD5eF"
        let token = #"eyJhbGciOiJIUzI1NiJ9\\.eyJzdWIiOiIxMjM0NTY3ODkwIn0\\.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"#
        let text = try self.imported(
            [
                Self.stub(#""method": "GET", "urlPattern": "/a\\?api_key=\#(key)(&.*)?""#, 200, "in"),
                Self.stub(
                    #""method": "GET", "url": "/b", "headers": {"Authorization": {"matches": "^Bearer \#(token)$"}}"#,
                    200,
                    "in"
                ),
            ],
            in: folder
        )
        #expect(!text.contains(key) && !text.contains("eyJzdWIi"))
        let url = "'http://api.example.com/a?api_key=\(key)"
        let bearer = "-H 'Authorization: Bearer \(token.replacing("\\\\", with: ""))' http://api.example.com/b"
        let statuses = try self.statuses(["\(url)'", "\(url)&x=1'", "\(url)y'", bearer], of: "api", in: folder)
        #expect(statuses == ["200", "200", "501", "200"])
    }

    @Test func `numbers that no program means end no import`() throws {
        let folder = try TestFolder()
        try folder.write(
            #"""
            [{"httpRequest": {"path": "/a"}, "httpResponse": {"statusCode": 200, \#
            "delay": {"timeUnit": "MINUTES", "value": 9223372036854775807}}}]
            """#,
            to: "mockserver.json"
        )
        let delay = #"{"median": 1e300, "mean": 1e999, "min": 1e300, "max": -1}"#
        let response = #"{"status": 200, "body": "", "encodedBody": false, "headers": {}, "logNormalDelay": \#(delay)}"#
        try folder.write(
            #"""
            {"data": {"pairs": [{"request": {"path": [{"matcher": "exact", "value": "/a"}]}, "response": \#(response)}], \#
            "globalActions": {"delays": []}}, "meta": {"schemaVersion": "v5.2"}}
            """#,
            to: "hoverfly.json"
        )
        for name in ["mockserver", "hoverfly"] {
            let result = try folder.tapedeck("import", "\(name).json")
            #expect(result.exitCode == 1 && result.outputText.contains("is longer than an hour"), "\(result)")
        }
    }

    @Test func `a cassette is not exported over itself`() throws {
        let folder = try TestFolder()
        let text = try self.imported([Self.stub(#""method": "GET", "url": "/a""#, 200, "in")], in: folder)
        let result = try folder.tapedeck("export", "api", "-o", "cassettes/api.yaml")
        #expect(result.exitCode == 64 && result.errorText.contains("is the cassette itself"))
        #expect(try folder.read("cassettes/api.yaml") == text)
    }

    @Test func `a recorded login that failed first is played alone, and twice`() throws {
        let folder = try TestFolder()
        func entry(_ password: String, _ status: Int, _ second: Int) -> String {
            """
            {"startedDateTime": "2026-01-01T10:00:0\(second)Z", "time": 5, "request": {"method": "POST", \
            "url": "http://api.example.com/login", "headers": [{"name": "Content-Type", "value": "application/json"}], \
            "postData": {"mimeType": "application/json", "text": "{\\"user\\":\\"ada\\",\\"password\\":\\"\(password)\\"}"}}, \
            "response": {"status": \(status), "statusText": "", "headers": [], "content": {"size": 2, "mimeType": \
            "text/plain", "text": "ok"}}}
            """
        }
        let entries = [entry("not-this-1", 401, 0), entry("but-this-2", 200, 1)]
        try folder.write(
            #"{"log": {"version": "1.2", "creator": {"name": "test"}, "entries": [\#(entries.joined(separator: ","))]}}"#,
            to: "login.har"
        )
        #expect(try folder.tapedeck("import", "login.har").exitCode == 0)
        #expect(try !folder.read("cassettes/login.yaml").contains("-this-"))
        let alone = try self.statuses(
            [Self.attempt("but-this-2"), Self.attempt("but-this-2")],
            of: "login",
            in: folder
        )
        #expect(alone == ["200", "200"])
        #expect(try self.statuses([Self.attempt("not-this-1")], of: "login", in: folder) == ["401"])
        // Another value is one of those that were recorded, as with any recording.
        #expect(try self.statuses([Self.attempt("made-up-3")], of: "login", in: folder) == ["401"])
    }

    @Test func `conditions on secrets keep their kind`() throws {
        let folder = try TestFolder()
        let token = "tok-8f3kd92lmq0zxw71bv5t"
        let text = try self.imported(
            [
                Self.stub(#""url": "/absent", "headers": {"Authorization": {"absent": true}}"#, 200, "a"),
                Self.stub(
                    #""url": "/case", "headers": {"Authorization": {"equalTo": "Bearer \#(token)", "caseInsensitive": true}}"#,
                    200,
                    "b"
                ),
                Self.stub(#""url": "/any", "headers": {"Authorization": {"matches": "Bearer .+"}}"#, 200, "c"),
                Self.stub(#""url": "/none", "headers": {"Authorization": {"doesNotMatch": "Bearer .*"}}"#, 200, "d"),
            ],
            in: folder
        )
        #expect(!text.contains(token) && text.contains("absent: true") && text.contains("Bearer .+"))
        func ask(_ path: String, _ value: String?) -> String {
            (value.map { "-H 'Authorization: \($0)' " } ?? "") + "http://api.example.com\(path)"
        }
        let requests = [
            ask("/absent", nil), ask("/absent", "Bearer x"), ask("/case", "BEARER \(token.uppercased())"),
            ask("/case", "Bearer other"), ask("/any", "Bearer whatever"), ask("/any", "Basic YTpi"),
            ask("/none", "Basic YTpi"), ask("/none", "Bearer x"),
        ]
        let wanted = ["200", "501", "200", "501", "200", "501", "200", "501"]
        #expect(try self.statuses(requests, of: "api", in: folder) == wanted)
    }

    @Test func `of several stubs the one answers that WireMock would choose`() throws {
        let folder = try TestFolder()
        let text = try self.imported(
            [
                Self.stub(#""method": "GET", "url": "/p/1""#, 201, ""),
                Self.stub(#""method": "GET", "urlPathPattern": "/p/.*""#, 202, ""),
                Self.stub(#""method": "GET", "url": "/q""#, 203, ""),
            ],
            in: folder
        )
        // Only where Tapedeck's order is another.
        #expect(text.components(separatedBy: "priority:").count == 2, "\(text)")
        let requests = ["/p/1", "/p/2", "/q"].map { "http://api.example.com\($0)" }
        #expect(try self.statuses(requests, of: "api", in: folder) == ["202", "202", "203"])
    }

    @Test func `one bad file ends nothing, and every name is one that a session takes`() throws {
        let folder = try TestFolder()
        let good = #"{"mappings": [\#(Self.stub(#""url": "/a""#, 200, "x"))]}"#
        let long = String(repeating: "n", count: 240)
        for path in [
            "in/a/x/mappings/m.json", "in/b/x/mappings/m.json", "in/test_x[param].json", "in/\(long).json",
            "in/.hidden/h.json", "in/last.journal.json",
        ] {
            try folder.write(good, to: path)
        }
        try folder.write("<!DOCTYPE html><html></html>", to: "in/page.html")
        let result = try folder.tapedeck("import", "in", "--out", "cassettes")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("not read: in/page.html: it begins with '<!DOCTYPE html>"))
        #expect(result.outputText.contains("note: in/.hidden: it is a hidden folder: it is skipped"))
        let names = ["a/x", "b/x", "test_x[param]", String(long.prefix(180)), "last-journal"]
        for name in names { #expect(folder.exists("cassettes/\(name).yaml"), "\(name)") }
        let deck = try folder.serve("serve")
        let api = try folder.control(deck)
        for name in names { _ = try api.session(#"{"cassettes": ["\#(name)"]}"#) }
    }

    @Test func `requests without an answer are sent on demand, and their answers recorded`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: hello
                request: { method: GET, url: "http://origin.test/hello?name=ada" }
                variants: [{ name: ok, takes: [{ status: 200, body: { text: hi } }] }]
            """,
            to: "cassettes/origin.yaml"
        )
        let origin = try folder.serve("replay", "origin", "--reverse", "http://origin.test")
        try folder.write(
            """
            GET {{base}}/hello
            [Query]
            name: ada
            HTTP 200

            GET http://127.0.0.1:1/refused
            """,
            to: "calls.hurl"
        )
        let without = try folder.tapedeck("import", "calls.hurl")
        #expect(without.exitCode == 1)
        #expect(without.outputText.contains("left out: calls.hurl:1: '{{base}}' has no value"))
        let base = "http://127.0.0.1:\(origin.port)"
        let asked = try folder.tapedeck("import", "calls.hurl", "--ask", "--variable", "base=\(base)")
        #expect(asked.outputText.contains("cassettes/calls.yaml: 1 of 2 entries from hurl"), "\(asked.outputText)")
        #expect(asked.outputText.contains("left out: calls.hurl:6: no answer was recorded: Connection refused"))
        _ = try origin.stop()
        let played = try folder.tapedeck("replay", "calls", "--", "curl", "-qsS", "\(base)/hello?name=ada")
        #expect(played.outputText == "hi")
    }
}
