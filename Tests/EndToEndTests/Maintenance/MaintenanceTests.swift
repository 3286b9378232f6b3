import Foundation
import TestShare
import Testing

/// `refresh` and `drift`: recorded requests are sent to the live API again.
@Suite(.ownThreads) struct MaintenanceTests {
    /// A cassette recorded from an origin whose answers can be changed.
    private struct Fixture {
        let folder: TestFolder
        let origin: ChangingOrigin

        init() throws {
            self.folder = try TestFolder()
            self.origin = try ChangingOrigin(in: self.folder)
            try self.origin.answer("/user", .init(#"{"login":"ada","stars":10}"#))
            try self.origin.answer("/job", .init(#"{"at":"wait"}"#, status: 202), .init(#"{"at":"done"}"#))
            let urls = ["/user", "/job", "/job"].map { self.origin.base + $0 }
            let result = try self.folder.tapedeck(["record", "x", "--", "curl", "-sS"] + urls)
            #expect(result.exitCode == 0, "\(result.errorText)")
            try self.origin.answer("/job", .init(#"{"at":"wait"}"#, status: 202), .init(#"{"at":"done"}"#))
        }

        var text: String {
            get throws { try self.folder.read("cassettes/x.yaml") }
        }

        func name(_ path: String) -> String { "GET \(self.origin.base.dropFirst(7))\(path)" }
    }

    @Test func `drift finds nothing without changes, and writes nothing`() throws {
        let fixture = try Fixture()
        let before = try fixture.text
        let result = try fixture.folder.tapedeck("drift", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "")
        #expect(result.errorText.contains("sent 3 requests of 2 response sets, nothing has changed"))
        #expect(try fixture.text == before)
        #expect(try fixture.folder.names(in: "cassettes") == ["x.yaml"])
    }

    @Test(.long) func `drift tells shapes from values, as text and as JSON`() throws {
        let fixture = try Fixture()
        try fixture.origin.answer("/user", .init(#"{"login":"ada","stars":12}"#))
        let values = try fixture.folder.tapedeck("drift", "x", "--only-set", fixture.name("/user"))
        #expect(values.exitCode == 0, "\(values.errorText)")
        #expect(values.outputText == "\(fixture.name("/user"))\n  ~ value $.stars: 10 → 12\n")
        let strict = try fixture.folder.tapedeck(
            "drift",
            "x",
            "--only-set",
            fixture.name("/user"),
            "--fail-on-values"
        )
        #expect(strict.exitCode == 1)
        try fixture.origin.answer("/user", .init(#"{"login":7,"stars":10,"new":null}"#))
        let shape = try fixture.folder.tapedeck("drift", "x", "--only-set", fixture.name("/user"))
        #expect(shape.exitCode == 1)
        #expect(
            shape.outputText == """
                \(fixture.name("/user"))
                  ~ $.login: string → number
                  + $.new: null

                """
        )
        struct Report: Decodable {
            struct Change: Decodable {
                struct Difference: Decodable, Equatable {
                    var kind, place: String
                    var old, new: String?
                }
                var set: String
                var take: Int
                var differences: [Difference]
            }
            var drift: Bool
            var requests: Int
            var changes: [Change]
        }
        let json = try fixture.folder.tapedeck("drift", "x", "--json", "--only-set", fixture.name("/user"))
        #expect(json.exitCode == 1)
        let report = try JSONDecoder().decode(Report.self, from: json.output)
        #expect(report.drift)
        #expect(report.requests == 1)
        #expect(report.changes.first?.set == fixture.name("/user"))
        #expect(
            report.changes.first?.differences == [
                .init(kind: "shape", place: "$.login", old: "string", new: "number"),
                .init(kind: "shape", place: "$.new", old: nil, new: "null"),
            ]
        )
    }

    @Test(.long) func `an unreachable origin is not drift, and exits with 69`() throws {
        let fixture = try Fixture()
        try fixture.origin.stop()
        for command in ["drift", "refresh"] {
            let before = try fixture.text
            let result = try fixture.folder.tapedeck(command, "x")
            #expect(result.exitCode == 69)
            #expect(result.errorText.contains("could not be asked (connectionRefused"), "\(result.errorText)")
            #expect(try fixture.text == before)
        }
    }

    @Test(.long) func `refresh rewrites only the takes`() throws {
        let fixture = try Fixture()
        let kept = try fixture.text
            .replacing("tapedeck: 1\n", with: "# Mine.\ntapedeck: 1\nmaxAge: 30d\n")
            .replacing(
                "  - name: \(fixture.name("/user"))\n",
                with: """
                      # By hand.
                      - name: banner
                        request: { url: http://a.example/banner }
                        variants: [{ name: shown, takes: [{ status: 200, body: { text: hello } }] }]
                      - name: \(fixture.name("/user"))

                    """
            )
        try fixture.folder.write(kept, to: "cassettes/x.yaml")
        try fixture.origin.answer("/user", .init(#"{"login":"ada","stars":99}"#))
        let result = try fixture.folder.tapedeck("refresh", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("not asked again: \"banner\": no recording wrote it"))
        let lines = { (text: String) in
            text.split(separator: "\n").filter { !$0.contains("recorded: ") && !$0.contains("Content-Length") }
        }
        let difference = lines(try fixture.text).difference(from: lines(kept))
        #expect(difference.removals.count == 1)
        #expect(difference.insertions.count == 1)
        #expect(try fixture.text.contains("\"stars\": 99"))
        #expect(try fixture.folder.names(in: "cassettes") == ["x.yaml"])
        #expect(try fixture.folder.tapedeck("check", "x").outputText.contains("no problems"))
    }

    @Test func `a dry run writes nothing`() throws {
        let fixture = try Fixture()
        try fixture.origin.answer("/user", .init("[]"))
        let before = try fixture.text
        let result = try fixture.folder.tapedeck("refresh", "x", "--dry-run")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("~ $: object → array"))
        #expect(try fixture.text == before)
    }

    @Test(.long) func `an error in the place of a success is taken only by force`() throws {
        let fixture = try Fixture()
        try fixture.origin.answer("/user", .init("{}", status: 401))
        let result = try fixture.folder.tapedeck("refresh", "x")
        #expect(result.exitCode == 69)
        #expect(result.errorText.contains("answers 401 where the tape has 200; give what it wants with --header"))
        #expect(try fixture.text.contains("\"login\": \"ada\""))
        let forced = try fixture.folder.tapedeck("refresh", "x", "--force")
        #expect(forced.exitCode == 0, "\(forced.errorText)")
        #expect(try fixture.text.contains("status: 401"))
        #expect(try !fixture.text.contains("\"login\": \"ada\""))
    }

    @Test(.long) func `continuous integration refreshes nothing without permission`() throws {
        let fixture = try Fixture()
        let before = try fixture.text
        let refused = try fixture.folder.tapedeck("refresh", "x", environment: ["CI": "true"])
        #expect(refused.exitCode == 64)
        #expect(refused.errorText.contains("CI is set"))
        #expect(try fixture.text == before)
        #expect(try fixture.origin.requests().count == 3)
        #expect(try fixture.folder.tapedeck("drift", "x", environment: ["CI": "true"]).exitCode == 0)
        let told = try fixture.folder.tapedeck("refresh", "x", "--in-ci", environment: ["CI": "true"])
        #expect(told.exitCode == 0, "\(told.errorText)")
    }

    @Test(.long) func `requests that change data are sent only if named`() throws {
        let fixture = try Fixture()
        try fixture.origin.answer("/post", .init("{}", status: 201))
        try fixture.folder.tapedeck("append", "x", "--", "curl", "-sS", "-d", "a=1", fixture.origin.base + "/post")
        let safe = try fixture.folder.tapedeck("refresh", "x")
        #expect(safe.exitCode == 0, "\(safe.errorText)")
        #expect(safe.errorText.contains("POST may change something there; --methods POST asks all the same"))
        #expect(try fixture.origin.requests().filter { $0 == "POST /post" }.count == 1)
        let told = try fixture.folder.tapedeck("refresh", "x", "--methods", "post")
        #expect(told.exitCode == 0, "\(told.errorText)")
        #expect(try fixture.origin.requests().filter { $0 == "POST /post" }.count == 2)
    }

    @Test func `a secret is sent from the environment and never written`() throws {
        let folder = try TestFolder()
        let origin = try ChangingOrigin(in: folder)
        try origin.answer("/a", .init(#"{"n":1}"#))
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: a
                request: { method: GET, url: \(origin.base)/a }
                variants:
                  - name: recorded
                    takes:
                      - status: 200
                        recorded: '2026-01-01T00:00:00Z'
                        request: { headers: [{ X-Api-Key: '{{secret.api_key}}' }] }
                        body: { json: '{"n":0}' }

            """,
            to: "cassettes/x.yaml"
        )
        let without = try folder.tapedeck("refresh", "x")
        #expect(without.exitCode == 64)
        #expect(without.errorText.contains("it needs the secret api_key: give it in TAPEDECK_SECRET_API_KEY"))
        let secret = "zK4mQ9xT2wLp7vRb"
        let result = try folder.tapedeck("refresh", "x", environment: ["TAPEDECK_SECRET_API_KEY": secret])
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(try origin.requests() == ["GET /a \(secret)"])
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("{{secret.api_key}}"))
        #expect(!text.contains(secret))
        #expect(!(result.errorText + result.outputText).contains(secret))
    }

    @Test func `https works with a named authority`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let trust = ["--upstream-ca", origin.authorityPath]
        let url = origin.url("/counter", .https)
        try folder.tapedeck(["record", "x"] + trust + ["--", "curl", "-sS", url])
        let result = try folder.tapedeck(["drift", "x"] + trust)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.contains("~ value $.count: 1 → 2"))
    }

    @Test func `a time that has passed is named by check and in the journal, and a cookie moves`() throws {
        let folder = try TestFolder()
        let text = Cassettes.users
            .replacing("- status: 200", with: "- recorded: '2026-01-01T00:00:00Z'\n            status: 200")
            .replacing("text: ada", with: "json: '{ \"expires_at\": \"2026-01-02T00:00:00Z\" }'")
            .replacing(
                "- Content-Type: text/plain",
                with: "- Set-Cookie: a=b; Expires=Fri, 02 Jan 2026 00:00:00 GMT"
            )
        try folder.write(text, to: "cassettes/x.yaml")
        let note =
            "$.expires_at has expired since it was recorded (2026-01-02T00:00:00Z); "
            + "`time: { shift: true, json: [$.expires_at] }` moves it"
        let checked = try folder.tapedeck("check", "x")
        #expect(checked.exitCode == 0)
        #expect((checked.errorText + checked.outputText).contains("in an answer of \"users\" \(note)"))
        let script = "curl -q -sS -c jar \(Cassettes.usersURL); '\(Tapedeck.path)' journal; grep -c 'a.b$' jar"
        let played = try folder.tapedeck("replay", "x", "--", "sh", "-c", script)
        #expect(played.outputText.contains(note), "\(played.outputText)")
        #expect(played.outputText.contains("cookies that have ended since"), "\(played.outputText)")
        #expect(played.outputText.hasSuffix("\n1\n"), "\(played.outputText)")
        let moving = "tapedeck: 1\ntime: { shift: true, json: [$.expires_at] }\n"
        try folder.write(text.replacing("tapedeck: 1\n", with: moving), to: "cassettes/x.yaml")
        let moved = try folder.tapedeck("replay", "x", "--", "sh", "-c", script)
        #expect(!moved.outputText.contains("has expired"), "\(moved.outputText)")
        #expect(moved.outputText.hasSuffix("\n1\n"), "\(moved.outputText)")
        #expect(!(try folder.tapedeck("check", "x").outputText.contains("has expired")))
    }

    @Test func `an old cassette warns, or is not played`() throws {
        let folder = try TestFolder()
        let text = Cassettes.users.replacing(
            "- status: 200",
            with: "- recorded: '2026-01-01T00:00:00Z'\n            status: 200"
        )
        try folder.write(text.replacing("tapedeck: 1\n", with: "tapedeck: 1\nmaxAge: 30d\n"), to: "cassettes/x.yaml")
        let warned = try folder.tapedeck("replay", "x", "--", "true")
        #expect(warned.exitCode == 0)
        #expect(warned.errorText.contains("warning: \"users\" was recorded"), "\(warned.errorText)")
        #expect(warned.errorText.contains("tapedeck refresh cassettes/x.yaml"))
        #expect(try folder.tapedeck("check", "x").exitCode == 0)
        let strict = "tapedeck: 1\nmaxAge: { after: 30d, then: fail }\n"
        try folder.write(text.replacing("tapedeck: 1\n", with: strict), to: "cassettes/x.yaml")
        for arguments in [["replay", "x", "--", "true"], ["append", "x", "--", "true"], ["check", "x"]] {
            let result = try folder.tapedeck(arguments)
            #expect(result.exitCode == 65, "\(arguments): \(result.errorText)")
            #expect((result.errorText + result.outputText).contains("and maxAge is 30d"))
        }
        // The remedy is a new recording.
        #expect(try folder.tapedeck("record", "x", "--", "true").exitCode == 0)
    }
}
