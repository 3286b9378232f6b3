import Foundation
import Testing

/// `tapedeck suggest`.
@Suite(.ownThreads) struct SuggestTests {
    private static func folder() throws -> TestFolder {
        let folder = try RecordedCassette.folder()
        let other = RecordedCassette.text(time: 1_763_719_999, nonce: "0a1b2c3d4e5f")
        try folder.write(other, to: "cassettes/again.yaml")
        return folder
    }

    @Test func `times and nonces of two recordings become rules, shown as YAML to add`() throws {
        let folder = try Self.folder()
        let before = try folder.read("cassettes/x.yaml")
        let result = try folder.tapedeck("suggest", "x", "again")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let text = result.outputText
        #expect(text.contains("  ignore:\n    query: [ts]\n    json: [$.nonce]\n"), "\(text)")
        for words in [
            "answers 1 of the 3", "looks like a time", "looks like a random value", "then it answers 3 of the 3",
        ] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        #expect(try folder.read("cassettes/x.yaml") == before)
    }

    @Test func `once they are applied, a run with other values is answered`() throws {
        let folder = try Self.folder()
        let before = try folder.read("cassettes/x.yaml")
        let result = try folder.tapedeck("suggest", "x", "again", "--apply")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let after = try folder.read("cassettes/x.yaml")
        #expect(after.replacing("ignore:\n  query: [ts]\n  json: [$.nonce]\n", with: "") == before)
        let url = "http://api.example.com/poll?ts=1763800000"
        let run = try folder.tapedeck("replay", "x", "--", "curl", "-q", "-sS", url)
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.outputText == "nothing new")
        let order = [
            "curl", "-q", "-sS", "-w", "%{http_code}", "--json", #"{"item":"tea","count":2,"nonce":"ffee00112233"}"#,
        ]
        let ordered = try folder.tapedeck(["replay", "x", "--"] + order + ["http://api.example.com/orders"])
        #expect(ordered.outputText == "201", "\(ordered.errorText)")
        let again = try folder.tapedeck("suggest", "x", "again")
        #expect(again.outputText.contains("nothing differs"), "\(again.outputText)")
    }

    @Test func `the same is available as JSON`() throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck("suggest", "x", "again", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        let ignore = try #require(object["ignore"] as? [String: [String]])
        #expect(ignore.filter { !$0.value.isEmpty } == ["query": ["ts"], "json": ["$.nonce"]])
    }

    @Test func `a missing cassette is reported as by every command`() throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck("suggest", "x", "nope")
        #expect(result.exitCode == 65)
        #expect(result.errorText.contains("there is no such cassette"))
    }
}
