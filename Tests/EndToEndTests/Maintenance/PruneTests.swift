import Foundation
import Testing

/// `--report` and `tapedeck prune`.
@Suite(.ownThreads) struct PruneTests {
    /// Runs curl through a deck that writes a report.
    @discardableResult
    private func run(_ folder: TestFolder, _ url: String, report: String) throws -> Program.Result {
        try folder.tapedeck("replay", "x", "--report", report, "--", "curl", "-q", "-sS", "-o", "/dev/null", url)
    }

    @Test func `unused sets are listed, and removed with --yes; manual ones stay`() throws {
        let folder = try RecordedCassette.folder()
        let before = try folder.read("cassettes/x.yaml")
        let run = try self.run(folder, RecordedCassette.usersURL, report: "out/r.json")
        #expect(run.exitCode == 0, "\(run.errorText)")
        let shown = try folder.tapedeck("prune", "--report", "out/r.json")
        #expect(shown.exitCode == 0, "\(shown.errorText)")
        let text = shown.outputText
        for words in [
            "cassettes/x.yaml: 2 response sets and 1 body file that no run requested\n", "- response set poll (GET ",
            "- response set order (POST ", "- body file x/poll-0123456789ab.txt: 11 bytes\n",
            "not requested, and kept: teapot: a person wrote it",
        ] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
        #expect(shown.errorText.contains("nothing is removed without --yes"))
        #expect(try folder.read("cassettes/x.yaml") == before)

        let checked = try folder.tapedeck("prune", "x", "--check", "--report", "out/r.json")
        #expect(checked.exitCode == 1)
        #expect(try folder.read("cassettes/x.yaml") == before)

        let pruned = try folder.tapedeck("prune", "x", "--yes", "--report", "out")
        #expect(pruned.exitCode == 0, "\(pruned.errorText)")
        let after = try folder.read("cassettes/x.yaml")
        #expect(after.contains("# everybody") && !after.contains("now and then"))
        #expect(after.contains("name: users") && after.contains("name: teapot"))
        #expect(!after.contains("name: poll") && !after.contains("name: order"))
        #expect(try folder.names(in: "cassettes/x").isEmpty)
        #expect(try folder.tapedeck("check", "x").exitCode == 0)
        #expect(try self.run(folder, RecordedCassette.usersURL, report: "out/r.json").exitCode == 0)
        #expect(try folder.tapedeck("prune", "--check", "--report", "out/r.json").exitCode == 0)
    }

    @Test func `the reports of several runs add up`() throws {
        let folder = try RecordedCassette.folder()
        try self.run(folder, RecordedCassette.usersURL, report: "out/1.json")
        try self.run(folder, "http://api.example.com/poll?ts=1763719200", report: "out/2.json")
        let result = try folder.tapedeck("prune", "--check", "--report", "out/1.json", "out/2.json")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("x.yaml: 1 response set and 0 body files"), "\(result.outputText)")
        #expect(result.outputText.contains("- response set order"))
    }

    @Test func `sessions of a deck that serves are in its report, and each process has its own file`() throws {
        let folder = try RecordedCassette.folder()
        let deck = try folder.serve("serve", environment: ["TAPEDECK_REPORT": folder / "out/r.json"])
        let control = try folder.control(deck)
        let session = try control.session(#"{"cassettes": ["x"]}"#)
        let answer = try folder.curl(
            deck,
            "-H",
            "X-Tapedeck-Session: \(session.id):\(session.token)",
            RecordedCassette.usersURL
        )
        #expect(answer.outputText == #"{"name": "ada"}"#)
        try control.get("DELETE", "/v1/sessions/\(session.id)")
        let other = try control.session(#"{"cassettes": ["x"]}"#)
        let url = "http://api.example.com/poll?ts=1763719200"
        try folder.curl(deck, "-H", "X-Tapedeck-Session: \(other.id):\(other.token)", url)
        try deck.stop()
        #expect(try folder.names(in: "out") == ["r-\(deck.program.id).json"])
        let result = try folder.tapedeck("prune", "--check", "--report", "out")
        #expect(result.exitCode == 1, "\(result.errorText)")
        #expect(result.outputText.contains("1 response set and 0 body files"), "\(result.outputText)")
    }

    @Test func `prune refuses the report of a failed run, unless forced`() throws {
        let folder = try RecordedCassette.folder()
        let run = try self.run(folder, "http://api.example.com/nope", report: "r.json")
        #expect(run.exitCode == 70)
        let refused = try folder.tapedeck("prune", "x", "--report", "r.json", "--yes")
        #expect(refused.exitCode == 64)
        #expect(refused.errorText.contains("its run ended with exit code 70"), "\(refused.errorText)")
        let forced = try folder.tapedeck("prune", "x", "--report", "r.json", "--check", "--force")
        #expect(forced.exitCode == 1)
        #expect(forced.outputText.contains("3 response sets"), "\(forced.outputText)")
    }

    @Test func `a set that a profile names stays, and so does one that is newer than the reports`() throws {
        let folder = try RecordedCassette.folder()
        try self.run(folder, RecordedCassette.usersURL, report: "r.json")
        let text = try folder.read("cassettes/x.yaml").replacing("/orders", with: "/v2/orders")
        try folder.write(text + "profiles:\n  quiet: { poll: recorded }\n", to: "cassettes/x.yaml")
        let result = try folder.tapedeck("prune", "x", "--report", "r.json", "--check")
        #expect(result.exitCode == 0, "\(result.outputText)")
        #expect(result.outputText.contains("kept: poll: the profile \"quiet\" names it"))
        #expect(result.outputText.contains("on no report, so changed since, and kept: order"))
    }

    @Test func `errors are reported with advice`() throws {
        let folder = try RecordedCassette.folder()
        let none = try folder.tapedeck("prune", "x")
        #expect(none.exitCode == 64)
        #expect(none.errorText.contains("--report"))
        let missing = try folder.tapedeck("prune", "x", "--report", "r.json")
        #expect(missing.exitCode == 64)
        #expect(missing.errorText.contains("tapedeck replay CASSETTE --report r.json"), "\(missing.errorText)")
        try folder.write("{}", to: "other.json")
        let other = try folder.tapedeck("prune", "x", "--report", "other.json")
        #expect(other.errorText.contains("other.json is no report of a run"), "\(other.errorText)")
        try self.run(folder, RecordedCassette.usersURL, report: "r.json")
        try folder.write(RecordedCassette.text(), to: "cassettes/y.yaml")
        try folder.write("nothing new", to: "cassettes/x/poll-0123456789ab.txt")
        let unknown = try folder.tapedeck("prune", "y", "--report", "r.json")
        #expect(unknown.exitCode == 64)
        #expect(unknown.errorText.contains("no report tells of cassettes/y.yaml"), "\(unknown.errorText)")
        try folder.write("tapedeck: 1\nresponseSets: 7\n", to: "cassettes/x.yaml")
        let broken = try folder.tapedeck("prune", "x", "--report", "r.json", "--yes")
        #expect(broken.exitCode == 65)
    }
}
