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

    @Test func `what differs in two recordings is shown`() throws {
        let folder = try Self.folder()
        let before = try folder.read("cassettes/x.yaml")
        let result = try folder.tapedeck("suggest", "x", "again")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let text = result.outputText
        #expect(text.contains("  poll  query ts  number  1763719200 and 1763719999\n"), "\(text)")
        // Nonces vary by their form.
        for words in ["answers 2 of the 3", "with them it answers 3 of the 3"] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        #expect(try folder.read("cassettes/x.yaml") == before)
    }

    @Test func `once it is applied, a run with other values is answered`() throws {
        let folder = try Self.folder()
        let before = try folder.read("cassettes/x.yaml")
        let result = try folder.tapedeck("suggest", "x", "again", "--apply")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let after = try folder.read("cassettes/x.yaml")
        #expect(after.replacing("    varies:\n      query ts: number\n", with: "") == before, "\(after)")
        let url = "http://api.example.com/poll?ts=1763800000"
        let run = try folder.tapedeck("replay", "x", "--", "curl", "-q", "-sS", url)
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.outputText == "nothing new")
        let word = try folder.tapedeck("replay", "x", "--", "curl", "-q", "-sS", "http://api.example.com/poll?ts=now")
        #expect(word.errorText.contains("1 unmatched"), "\(word.errorText)")
        let again = try folder.tapedeck("suggest", "x", "again")
        #expect(again.outputText.contains("answers 3 of the 3"), "\(again.outputText)")
        #expect(again.outputText.contains("nothing else differs"), "\(again.outputText)")
    }

    @Test func `the same is available as JSON`() throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck("suggest", "x", "again", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        let proposed = try #require(object["proposed"] as? [[String: Any]])
        #expect(proposed.map { $0["kind"] as? String } == ["query"])
        #expect(proposed.map { $0["name"] as? String } == ["ts"])
        #expect(proposed.map { $0["varies"] as? String } == ["number"])
    }

    @Test func `a missing cassette is reported as by every command`() throws {
        let folder = try Self.folder()
        let result = try folder.tapedeck("suggest", "x", "nope")
        #expect(result.exitCode == 65)
        #expect(result.errorText.contains("there is no such cassette"))
    }
}
