import Foundation
import Testing

/// Bodies that are not what the cassette says of them.
@Suite(.ownThreads) struct BodyCheckTests {
    private static func cassette(_ take: String, variant: String = "") -> String {
        """
        tapedeck: 1
        responseSets:
          - name: a
            request: { method: GET, url: http://api.example.com/a }
            variants:
              - name: recorded
                \(variant)
                takes:
                  - status: 200
        \(take.split(separator: "\n", omittingEmptySubsequences: false).map { "            \($0)" }.joined(separator: "\n"))

        """
    }

    private static func check(_ take: String, variant: String = "") throws -> Program.Result {
        let folder = try TestFolder()
        try folder.write(self.cassette(take, variant: variant), to: "cassettes/a.yaml")
        return try folder.tapedeck("check", "a")
    }

    @Test func `json that is not JSON is refused, with its place`() throws {
        let result = try Self.check("body:\n  json: |\n    {\n      \"id\": 1,\n    }")
        #expect(result.exitCode == 65)
        // At the comma, or at the brace behind it.
        let place = #/cassettes/a\.yaml:1[34]:\d+: error: the body is no JSON: /#
        #expect(result.outputText.contains(place), "\(result.outputText)")
        let short = try Self.check("body: { json: '{\"id\": oops}' }")
        #expect(short.exitCode == 65)
        #expect(
            short.outputText.contains("cassettes/a.yaml:10:35: error: the body is no JSON: "),
            "\(short.outputText)"
        )
    }

    @Test(arguments: [
        "body: { json: '{\"id\": {{secret.number}}, \"token\": \"{{secret.token}}\"}' }", "body: { json: '[1, 2]' }",
        "body: { text: '{\"id\": ' }",
    ])
    func `placeholders, JSON and text are no mistake`(take: String) throws {
        let result = try Self.check(take)
        #expect(result.exitCode == 0, "\(result.outputText)")
        #expect(!result.outputText.contains("JSON"))
    }

    @Test func `a template becomes JSON later`() throws {
        let result = try Self.check("body: { json: '{\"id\": {{request.path}}}' }", variant: "template: true")
        #expect(!result.outputText.contains("no JSON"), "\(result.outputText)")
    }

    @Test func `a body that is not coded as its field says is reported`() throws {
        let result = try Self.check("headers: { Content-Encoding: gzip }\nbody: { text: plain }")
        #expect(result.exitCode == 0)
        #expect(
            result.outputText.contains(
                "cassettes/a.yaml:10:42: warning: the body is not coded in gzip, so clients cannot read it: add "
                    + "`encoding: gzip` to the body, or remove this field"
            ),
            "\(result.outputText)"
        )
        let coded = try Self.check("headers: { Content-Encoding: gzip }\nbody: { text: plain, encoding: gzip }")
        #expect(coded.outputText.contains("no problems"), "\(coded.outputText)")
    }

    @Test func `a recorded body file that was changed is reported`() throws {
        let folder = try TestFolder()
        try folder.write(Self.cassette("body: { file: a/body-0123456789ab.bin }"), to: "cassettes/a.yaml")
        try folder.write("changed", to: "cassettes/a/body-0123456789ab.bin")
        let result = try folder.tapedeck("check", "a")
        #expect(result.exitCode == 0)
        #expect(
            result.outputText.contains(
                "warning: the body file a/body-0123456789ab.bin was changed: its name has the digest"
            ),
            "\(result.outputText)"
        )
    }

    @Test func `an edit refuses json that is not JSON, with its place`() throws {
        let folder = try TestFolder()
        let text = Self.cassette("headers: { content-type: application/json }\nbody: { json: '{\"id\": 1}' }")
        try folder.write(text, to: "cassettes/a.yaml")
        try folder.write("200 OK\ncontent-type: application/json\n\n{\n  \"id\": oops\n}\n", to: "edited.http")
        let result = try folder.tapedeck("edit", "a", "a", "--from", "edited.http")
        #expect(result.exitCode == 65)
        #expect(result.errorText.contains("line 5, column 9: the body is no JSON: "), "\(result.errorText)")
        #expect(try folder.read("cassettes/a.yaml") == text)
    }

    @Test func `a conflict of a merge is told as one`() throws {
        let folder = try TestFolder()
        try folder.write(
            "tapedeck: 1\n<<<<<<< HEAD\nresponseSets: []\n=======\nabout: x\n>>>>>>> topic\n",
            to: "cassettes/a.yaml"
        )
        let result = try folder.tapedeck("check", "a")
        #expect(result.exitCode == 65)
        #expect(result.outputText.contains("cassettes/a.yaml:2:1: error: a merge conflict: "), "\(result.outputText)")
    }

    @Test func `git merges what two branches have recorded`() throws {
        let folder = try TestFolder()
        func write(_ names: String...) throws {
            let sets = names.map { name in
                """
                  - name: \(name)
                    request: { url: http://a.example.com/\(name) }
                    variants: [{ name: v, fault: timeout }]

                """
            }
            try folder.write("tapedeck: 1\nresponseSets:\n" + sets.joined(separator: "\n"), to: "cassettes/a.yaml")
        }
        func change(_ fault: String) throws {
            try folder.write(folder.read("cassettes/a.yaml").replacing("timeout", with: fault), to: "cassettes/a.yaml")
        }
        func git(_ words: String..., code: Int32 = 0) throws {
            let names = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
            let result = try folder.run(["git"] + names + words)
            #expect(result.exitCode == code, "git \(words): \(result.errorText)")
        }
        try folder.write("cassettes/**/*.yaml merge=tapedeck\n", to: ".gitattributes")
        try write("a")
        try git("init", "-q", "-b", "main")
        try git("config", "merge.tapedeck.driver", "\(Tapedeck.path) merge --driver %O %A %B %P")
        try git("add", ".gitattributes", "cassettes")
        try git("commit", "-qm", "a")
        try git("checkout", "-qb", "topic")
        try write("a", "b")
        try git("commit", "-qam", "b")
        try git("checkout", "-q", "main")
        try write("a", "c")
        try git("commit", "-qam", "c")
        try git("merge", "-q", "topic")
        let merged = try folder.read("cassettes/a.yaml")
        for name in ["a", "b", "c"] { #expect(merged.contains("- name: \(name)\n"), "\(merged)") }
        #expect(try folder.tapedeck("check", "a").exitCode == 0)
        // Both branches changed the same set in different ways, which only a person can resolve.
        try git("checkout", "-qb", "other")
        try change("connectionReset")
        try git("commit", "-qam", "other")
        try git("checkout", "-q", "main")
        try change("emptyResponse")
        try git("commit", "-qam", "main")
        try git("merge", "-q", "other", code: 1)
        #expect(try folder.read("cassettes/a.yaml").contains("<<<<<<< ours"))
        #expect(try folder.tapedeck("check", "a").outputText.contains("a merge conflict"))
    }
}
