import Foundation
import Testing

/// The effect of recordings on cassettes, and the look-up of cassettes.
@Suite(.ownThreads) struct CassetteTests {
    /// A cassette with manual parts: comments, a set, and a variant next to recorded takes.
    private static func kept(_ base: String) -> String {
        """
        # Kept by hand.
        tapedeck: 1
        about: What the app asks   # and why
        responseSets:
          # Not from any server.
          - name: offline banner
            request:
              method: GET
              url: http://api.example.com/banner
            variants:
              - name: shown
                takes:
                  - status: 200
                    body: { text: We are back soon }
          - name: GET \(base.dropFirst(7))/counter
            request:
              method: GET
              url: \(base)/counter
            variants:
              - name: recorded
                takes:
                  - status: 200
                    recorded: '2026-01-01T00:00:00Z'
                    headers:
                      - Content-Type: application/json
                    body:
                      text: old
              # The case that the server never shows.
              - name: exhausted
                takes:
                  - status: 429
                    body: { text: too many }

        """
    }

    @Test func `recording again replaces recorded takes and keeps manual ones`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let base = origin.base(.http)
        let before = Self.kept(base)
        try folder.write(before, to: "cassettes/x.yaml")
        let result = try folder.tapedeck("record", "x", "--", "curl", "-sS", base + "/counter", base + "/json")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let after = try folder.read("cassettes/x.yaml")
        for kept in [
            "# Kept by hand.\n", "about: What the app asks   # and why\n", "  # Not from any server.\n",
            "body: { text: We are back soon }\n", "# The case that the server never shows.\n", "- name: exhausted\n",
            "body: { text: too many }\n",
        ] {
            #expect(after.contains(kept), "\(kept)\n\(after)")
        }
        #expect(!after.contains("text: old"))
        #expect(after.contains("url: \(base)/json\n"))
        #expect(try folder.tapedeck("check", "x").outputText.contains("no problems"))
        // And a clean recording removes a recorded set that is not requested again.
        try folder.tapedeck("record", "x", "--clean", "--", "curl", "-sS", base + "/counter")
        let third = try folder.read("cassettes/x.yaml")
        #expect(!third.contains("url: \(base)/json\n"))
        #expect(third.contains("- name: exhausted\n"))
        #expect(third.contains("- name: offline banner\n"))
    }

    @Test func `append plays recorded answers and records only missing ones`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let base = origin.base(.http)
        let before = Cassettes.answering(base + "/json", "from the tape")
        try folder.write(before, to: "cassettes/x.yaml")
        let urls = [base + "/json", base + "/counter", base + "/json"]
        let result = try folder.tapedeck(["append", "x", "--", "curl", "-sS"] + urls)
        #expect(result.outputText == #"from the tape{"count":1}from the tape"#)
        #expect(result.errorText.contains("append: 2 requests played, 1 exchange recorded"), "\(result.errorText)")
        #expect(try origin.requests().map(\.target) == ["/counter"])
        let after = try folder.read("cassettes/x.yaml")
        #expect(after.hasPrefix(before))
        try origin.stop()
        let replayed = try folder.tapedeck(["replay", "x", "--", "curl", "-sS"] + urls)
        expectSame(replayed.output, result.output)
    }

    @Test func `passthrough plays nothing and records nothing`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let result = try folder.tapedeck(
            "passthrough",
            "--upstream-ca",
            origin.authorityPath,
            "--",
            "curl",
            "-sS",
            origin.url("/counter", .https)
        )
        #expect(result.outputText == #"{"count":1}"#)
        #expect(result.errorText.contains("passthrough: 1 request passed through, 1 connection opened upstream"))
        #expect(!folder.exists("cassettes"))
    }

    @Test func `the same traffic gives the same file but for the times`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let base = origin.base(.http)
        let script = """
            for path in json gzip trailers cookies latin1 'binary?size=300000' 'counter?key=a' 'counter?key=a' reset; do
                curl -sS --compressed "$0/$path" > /dev/null
            done
            for n in 1 2 3; do curl -sS -d "n=$n" "$0/echo"; done
            """
        var texts: [String] = []
        for name in ["a", "b"] {
            try origin.reset()
            let command = ["--", "sh", "-c", script, base]
            #expect(try folder.tapedeck(["record", "\(name)/x.yaml", "--record-faults"] + command).exitCode == 0)
            texts.append(try folder.read("\(name)/x.yaml"))
        }
        let times = #/recorded: '[^']*'/#
        #expect(texts[0].replacing(times, with: "") == texts[1].replacing(times, with: ""))
        #expect(texts[0].matches(of: times).count == 12)
        #expect(try folder.names(in: "a/x") == folder.names(in: "b/x"))
    }

    @Test func `recording again changes only the times in the cassette`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let command = ["record", "x", "--", "curl", "-sS", origin.url("/json"), origin.url("/binary?size=300000")]
        let times = #/recorded: '[^']*'/#
        try folder.tapedeck(command + ["-o", "one", "-o", "two"])
        let first = try folder.read("cassettes/x.yaml")
        try folder.tapedeck(command + ["-o", "one", "-o", "two"])
        #expect(try folder.read("cassettes/x.yaml").replacing(times, with: "") == first.replacing(times, with: ""))
        #expect(try folder.names(in: "cassettes/x").count == 1)
    }

    @Test func `a cassette reads as the bytes that were sent`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.tapedeck(
            "record",
            "x",
            "--",
            "curl",
            "-sS",
            "--compressed",
            origin.url("/json"),
            origin.url("/gzip"),
            origin.url("/204")
        )
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.hasPrefix("tapedeck: 1\nresponseSets:\n"))
        #expect(text.contains(#"                  "name": "Tapedeck","#), "\(text)")
        #expect(text.contains("layout: compact\n"))
        #expect(text.contains("- Content-Encoding: gzip\n"))
        #expect(text.contains(#""title": "item number 99""#))
    }

    @Test func `show is a table of sets, variants, takes and sizes`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.kept(origin.base(.http)), to: "cassettes/x.yaml")
        try folder.tapedeck(
            "record",
            "x",
            "--",
            "curl",
            "-sS",
            origin.url("/counter"),
            origin.url("/counter"),
            origin.url("/binary?size=300000"),
            "-o",
            "a",
            "-o",
            "b",
            "-o",
            "c"
        )
        let result = try folder.tapedeck("show", "x")
        #expect(result.exitCode == 0)
        #expect(result.errorText == "")
        let lines = result.outputText.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.first == "What the app asks")
        #expect(lines.contains("RESPONSE SET REQUEST VARIANT TAKES STATUS SIZE"))
        #expect(lines.contains("offline banner GET http://api.example.com/banner shown 1 200 16 B"), "\(lines)")
        #expect(lines.contains { $0.contains("/counter") && $0.hasSuffix("recorded (default) 2 200 22 B") }, "\(lines)")
        #expect(lines.contains("exhausted 1 429 8 B"))
        #expect(lines.contains { $0.contains("/binary") && $0.hasSuffix("recorded 1 200 300.0 kB") })
        #expect(lines.last == "3 response sets, 5 takes")
    }

    @Test func `check reports no problems`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let result = try folder.tapedeck("check", "users")
        #expect(result.exitCode == 0)
        #expect(result.outputText == "cassettes/users.yaml: 1 response set, no problems\n")
    }

    @Test func `several cassettes play together, the first that answers wins`() throws {
        let folder = try TestFolder()
        let base = "http://api.example.com"
        try folder.write(Cassettes.answering(base + "/a", "one"), to: "cassettes/one.yaml")
        try folder.write(Cassettes.answering(base + "/b", "two"), to: "cassettes/two.yaml")
        try folder.write(Cassettes.answering(base + "/a", "never"), to: "other/three.yaml")
        let result = try folder.tapedeck(
            "replay",
            "one",
            "two",
            "other/three.yaml",
            "--",
            "curl",
            "-sS",
            base + "/a",
            base + "/b"
        )
        #expect(result.outputText == "onetwo", "\(result.errorText)")
    }

    @Test func `a cassette is found by name in a folder, or by path`() throws {
        let folder = try TestFolder()
        for (path, text) in [
            ("cassettes/x.yaml", "default"), ("option/x.yaml", "option"), ("variable/x.yaml", "variable"),
            ("path/x.yaml", "path"), ("x.yaml", "here"),
        ] {
            try folder.write(Cassettes.answering(Cassettes.usersURL, text), to: path)
        }
        func replay(_ arguments: String..., variable: String? = nil) throws -> String {
            let environment = variable.map { ["TAPEDECK_CASSETTES": $0] } ?? [:]
            let command = ["replay"] + arguments + ["--", "curl", "-sS", Cassettes.usersURL]
            return try folder.tapedeck(command, environment: environment).outputText
        }
        #expect(try replay("x") == "default")
        #expect(try replay("x", variable: "variable") == "variable")
        #expect(try replay("x", "--cassettes", "option", variable: "variable") == "option")
        #expect(try replay("path/x.yaml", variable: "variable") == "path")
        #expect(try replay("path/x") == "path")
        #expect(try replay("x.yaml") == "here")
        #expect(try replay(folder / "path/x.yaml") == "path")
    }
}
