import Foundation
import Testing

/// The commands that edit cassettes, and what is played afterwards.
@Suite(.ownThreads) struct EditingCommandTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          # The login.
          - name: login
            request: { method: POST, url: http://api.example.com/login }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    headers:
                      - content-type: application/json
                    body:
                      json: |
                        {
                          "ok": true
                        }
                      layout: compact
              - name: locked   # by hand
                takes:
                  - status: 423
        profiles:
          bad day:
            login: locked

        """

    private static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/shop.yaml")
        return folder
    }

    private static func login(_ folder: TestFolder, _ options: String...) throws -> String {
        let command = ["--", "curl", "-s", "-w", " %{http_code}", "-d", "", "http://api.example.com/login"]
        let result = try folder.tapedeck(["replay", "shop"] + options + command)
        #expect(result.exitCode == 0, "\(result.errorText)")
        return result.outputText
    }

    @Test func `a cassette is edited by commands, and plays the result`() throws {
        let folder = try Self.folder()
        let trial = try folder.tapedeck("variant", "rename", "shop", "login", "locked", "closed", "--dry-run")
        #expect(
            trial.outputText == """
                cassettes/shop.yaml
                -       - name: locked   # by hand
                +       - name: closed   # by hand
                -     login: locked
                +     login: closed

                """
        )
        #expect(try folder.read("cassettes/shop.yaml") == Self.cassette)
        for arguments in [
            ["variant", "rename", "shop", "login", "locked", "closed"], ["set", "rename", "shop", "login", "log in"],
            ["variant", "copy", "shop", "log in", "recorded", "success"],
            ["variant", "default", "shop", "log in", "success"],
        ] {
            let result = try folder.tapedeck(arguments)
            #expect(
                result.exitCode == 0 && result.outputText.isEmpty && result.errorText.isEmpty,
                "\(result.errorText)"
            )
        }
        let text = try folder.read("cassettes/shop.yaml")
        #expect(text.contains("  # The login.\n  - name: log in\n") && text.contains("- name: closed   # by hand\n"))
        #expect(text.hasSuffix("profiles:\n  bad day:\n    log in: closed\n"))
        #expect(try Self.login(folder) == #"{"ok":true} 200"#)
        #expect(try Self.login(folder, "--profile", "bad day") == " 423")
    }

    @Test func `an answer is edited in the editor, and checked before it is written`() throws {
        let folder = try Self.folder()
        let (editor, clumsy) = ("sed -i -e 's/^200 OK/201/' -e 's/true/false/'", "sed -i 's/^200 OK/hello/'")
        let bad = try folder.tapedeck("edit", "shop", "login", environment: ["EDITOR": clumsy])
        #expect(bad.exitCode == 65)
        #expect(bad.errorText.contains(#"line 1: "hello" is no status line"#), "\(bad.errorText)")
        #expect(try folder.read("cassettes/shop.yaml") == Self.cassette)
        let failed = try folder.tapedeck("edit", "shop", "login", environment: ["EDITOR": "false"])
        #expect(failed.exitCode == 64)
        let good = try folder.tapedeck("edit", "shop", "login", "recorded", environment: ["EDITOR": editor])
        #expect(good.exitCode == 0, "\(good.errorText)")
        let expected = Self.cassette.replacing("status: 200", with: "status: 201").replacing("true", with: "false")
        #expect(try folder.read("cassettes/shop.yaml") == expected)
        #expect(try Self.login(folder) == #"{"ok":false} 201"#)

        let printed = try folder.tapedeck("edit", "shop", "login", "--print")
        try folder.write(
            printed.outputText.replacing("201 Created", with: "200 OK").replacing("false", with: "true"),
            to: "answer"
        )
        let taken = try folder.tapedeck("edit", "shop", "login", "--from", "answer")
        #expect(taken.exitCode == 0, "\(taken.errorText)")
        #expect(try folder.read("cassettes/shop.yaml") == Self.cassette)
    }

    @Test func `a set is found by its URL, and a body on one line plays as it was given`() throws {
        let folder = try Self.folder()
        for place in ["http://api.example.com/login", "POST /login", "lo…n"] {
            let shown = try folder.tapedeck("show", "shop", place, "--bodies").outputText
            #expect(shown.contains("response set: login\n") && shown.contains("    \"ok\": true\n"), "\(shown)")
            let renamed = try folder.tapedeck("set", "rename", "shop", place, "new", "--dry-run")
            #expect(renamed.outputText.contains("+   - name: new\n"), "\(renamed.outputText)")
        }
        try folder.write("200 OK\ncontent-type: application/json\n\n{\"ok\": false}\n", to: "answer")
        #expect(try folder.tapedeck("edit", "shop", "/login", "--from", "answer").exitCode == 0)
        #expect(try Self.login(folder) == #"{"ok": false} 200"#)
        let missing = try folder.tapedeck("show", "shop", "payment")
        #expect(missing.exitCode == 64)
        #expect(missing.errorText.contains(#"no response set of shop has "payment" in its name or URL"#))
    }

    @Test func `merge makes a cassette of several with body files, or names those of one name`() throws {
        let folder = try TestFolder()
        for (name, file) in [("a", "x"), ("b", "y"), ("c", "x")] {
            try folder.write(
                """
                tapedeck: 1
                responseSets:
                  - name: \(name)
                    request: { url: 'http://api.test/\(name)' }
                    variants: [{ name: v, takes: [{ status: 200, body: { file: \(name)/\(file).txt } }] }]
                """,
                to: "cassettes/\(name).yaml"
            )
            try folder.write(name, to: "cassettes/\(name)/\(file).txt")
        }
        let merged = try folder.tapedeck("merge", "both", "a", "b")
        #expect(merged.exitCode == 0, "\(merged.errorText)")
        #expect(try folder.read("cassettes/both/x.txt") == "a")
        #expect(try folder.read("cassettes/both/y.txt") == "b")
        #expect(try folder.tapedeck("check", "both").outputText.contains("no problems"))
        try folder.write("tapedeck: 1\nresponseSets: []\n", to: "cassettes/none.yaml")
        #expect(try folder.tapedeck("merge", "three", "none", "a", "b").exitCode == 0)
        #expect(try folder.tapedeck("check", "three").outputText.contains("three.yaml: 2 response sets, no problems"))
        let same = try folder.tapedeck("merge", "all", "a", "c")
        #expect(same.errorText.contains("cassettes/a/x.txt and cassettes/c/x.txt would both be this file"))
        #expect(!folder.exists("cassettes/all") && !folder.exists("cassettes/all.yaml"))
    }

    @Test func `several sets of one URL are named, and none is changed`() throws {
        let folder = try Self.folder()
        let more = Self.cassette.replacing(
            "profiles:",
            with: """
                  - name: other
                    request: { method: PUT, url: http://api.example.com/login }
                    variants: [{ name: recorded, takes: [{ status: 200 }] }]
                profiles:
                """
        )
        try folder.write(more, to: "cassettes/shop.yaml")
        let result = try folder.tapedeck("set", "remove", "shop", "http://api.example.com/login")
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains(#"2 response sets fit "http://api.example.com/login": "login", "other""#))
        #expect(try folder.read("cassettes/shop.yaml") == more)
        let selected = try folder.tapedeck(
            "explain",
            "shop",
            "POST",
            "http://api.example.com/login",
            "--select",
            "POST /login=locked"
        )
        #expect(selected.outputText.contains("variant   locked"), "\(selected.outputText)\(selected.errorText)")
    }

    @Test func `an answer of another type is no JSON any more`() throws {
        let folder = try Self.folder()
        try folder.write("502 Bad Gateway\ncontent-type: text/html\n\n<h1>no</h1>\n", to: "answer")
        let edited = try folder.tapedeck("edit", "shop", "login", "--from", "answer")
        #expect(edited.exitCode == 0, "\(edited.errorText)")
        #expect(try Self.login(folder) == "<h1>no</h1>\n 502")
    }

    @Test func `merge makes the cassette that is not there`() throws {
        let folder = try Self.folder()
        try folder.write(
            Self.cassette.replacing("login", with: "logout").replacing("The logout", with: "The other"),
            to: "cassettes/other.yaml"
        )
        let merged = try folder.tapedeck("merge", "both", "shop", "other")
        #expect(merged.exitCode == 0 && merged.errorText.contains("cassettes/both.yaml is new"), "\(merged.errorText)")
        let text = try folder.read("cassettes/both.yaml")
        #expect(text.contains("# The login.") && text.contains("# The other."), "\(text)")
        #expect(text.contains("login: locked") && text.contains("logout: locked"), "\(text)")
        #expect(try folder.tapedeck("check").outputText.contains("cassettes/both.yaml: 2 response sets, no problems"))
    }

    @Test(arguments: [
        (["set", "rename", "shop", "logn", "x"], Int32(64), #"did you mean "login"?"#),
        (["set", "rename", "shop", "login", ""], 64, "1 to 1000 characters"),
        (["set", "move", "shop", "login"], 64, "give one of --to, --before, --after, --first and --last"),
        (["set", "rename", "none", "a", "b"], 65, "there is no such cassette"),
        (["variant", "remove", "shop", "login", "locked", "recorded"], 64, "only variant"),
        (["take", "remove", "shop", "login", "locked", "1"], 64, "only take"),
        (["split", "shop"], 65, "all of its response sets would be in one cassette"),
        (["merge", "shop", "shop"], 65, "named twice"),
        (["edit", "shop", "login", "lockd", "--print"], 64, #"did you mean "locked"?"#),
    ])
    func `a mistake is reported, and nothing is written`(arguments: [String], code: Int32, message: String) throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck(arguments)
        #expect(result.exitCode == code, "\(result.errorText)")
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(try folder.read("cassettes/shop.yaml") == Self.cassette)
    }
}
