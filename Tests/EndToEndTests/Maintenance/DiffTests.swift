import Foundation
import Testing

/// `tapedeck diff`.
@Suite(.ownThreads) struct DiffTests {
    @Test func `two cassettes that play the same are equal, whatever their names`() throws {
        let folder = try RecordedCassette.folder()
        try folder.write(RecordedCassette.text().replacing("10:00:00Z", with: "11:30:00Z"), to: "cassettes/y.yaml")
        let result = try folder.tapedeck("diff", "x", "cassettes/y.yaml")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "cassettes/x.yaml and cassettes/y.yaml play the same: 4 response sets\n")
    }

    @Test func `differences are reported by response set, by places in JSON, and by the lines of a request`() throws {
        let folder = try RecordedCassette.folder()
        let other = RecordedCassette.text(time: 1_763_719_999, user: "grace").replacing("teapot", with: "kettle")
        try folder.write(other, to: "cassettes/y.yaml")
        let result = try folder.tapedeck("diff", "x", "y")
        #expect(result.exitCode == 1, "\(result.errorText)")
        let text = result.outputText
        for line in [
            "~ users", "            ~ value $.name: \"ada\" → \"grace\"", "~ poll",
            "      - url: http://api.example.com/poll?ts=1763719200",
            "      + url: http://api.example.com/poll?ts=1763719999",
            "- teapot (GET http://api.example.com/teapot)", "+ kettle (GET http://api.example.com/kettle)",
            "cassettes/x.yaml and cassettes/y.yaml: 1 response set the same, 2 changed, 1 only in the first, 1 only in the "
                + "second",
        ] {
            #expect(text.contains(line + "\n"), "\(line)\n\(text)")
        }
    }

    @Test func `the same is available as JSON`() throws {
        let folder = try RecordedCassette.folder()
        try folder.write(RecordedCassette.text(user: "grace"), to: "cassettes/y.yaml")
        let result = try folder.tapedeck("diff", "x", "y", "--json")
        #expect(result.exitCode == 1, "\(result.errorText)")
        let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(object["same"] as? Bool == false)
        let sets = try #require(object["sets"] as? [[String: Any]])
        #expect(sets.map { $0["name"] as? String } == ["users"])
        let variants = try #require(sets.first?["variants"] as? [[String: Any]])
        let takes = try #require(variants.first?["takes"] as? [[String: Any]])
        let differences = try #require(takes.first?["differences"] as? [[String: Any]])
        #expect(differences.map { $0["place"] as? String } == ["$.name"])
    }

    @Test func `a missing or invalid cassette is reported as by every command`() throws {
        let folder = try RecordedCassette.folder()
        let missing = try folder.tapedeck("diff", "x", "nope")
        #expect(missing.exitCode == 65)
        #expect(missing.errorText.contains("there is no such cassette"))
        try folder.write("tapedeck: 1\nresponseSets: 7\n", to: "cassettes/broken.yaml")
        let broken = try folder.tapedeck("diff", "broken", "x")
        #expect(broken.exitCode == 65)
        #expect(broken.errorText.contains("cassettes/broken.yaml:2:"), "\(broken.errorText)")
    }
}
