import Foundation
import TestShare
import Testing

/// A recording under bad conditions: the network is down, the command fails, a user deletes too much.
@Suite(.ownThreads) struct FailedRecordingTests {
    /// A cassette `x` with a small answer and one in a file, from an origin that is gone since.
    private struct Recorded {
        let folder: TestFolder
        let small: String
        let large: String
        let text: String

        init() throws {
            self.folder = try TestFolder()
            let origin = try Origin(in: self.folder)
            self.small = origin.url("/json")
            self.large = origin.url("/binary?size=200000")
            let result = try self.folder.tapedeck("record", "x", "--", "curl", "-sS", self.small, self.large)
            #expect(result.exitCode == 0, "\(result.errorText)")
            #expect(!result.errorText.contains("kept"))
            #expect(!result.errorText.contains("removed"))
            try origin.stop()
            self.text = try self.folder.read("cassettes/x.yaml")
        }

        func expectUnchanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try self.folder.read("cassettes/x.yaml") == self.text, sourceLocation: sourceLocation)
            #expect(try self.folder.names(in: "cassettes/x").count == 1, sourceLocation: sourceLocation)
            #expect(try self.folder.names(in: "cassettes") == ["x", "x.yaml"], sourceLocation: sourceLocation)
        }
    }

    @Test(.long) func `without the origin the tape stays, and the exit code says so`() throws {
        let recorded = try Recorded()
        let again = try recorded.folder.tapedeck("record", "x", "--", "curl", "-sS", recorded.small)
        #expect(again.exitCode == 69, "\(again.errorText)")
        #expect(again.errorText.contains("kept 1 response set, as requests failed"), "\(again.errorText)")
        #expect(again.errorText.contains("kept 1 response set that this run did not request"))
        try recorded.expectUnchanged()

        let wanted = try recorded.folder.tapedeck(
            "record",
            "x",
            "--record-faults",
            "--",
            "curl",
            "-sS",
            recorded.small
        )
        #expect(wanted.exitCode == 0, "\(wanted.errorText)")
        #expect(wanted.errorText.contains("replaced 1 response set: "), "\(wanted.errorText)")
        #expect(wanted.errorText.contains("kept 1 response set that this run did not request"), "\(wanted.errorText)")
        #expect(try recorded.folder.read("cassettes/x.yaml").contains("fault: connectionRefused"))
    }

    @Test(.long) func `a session's recording keeps answers too, and names them`() throws {
        let recorded = try Recorded()
        let deck = try recorded.folder.serve("serve", "--sessions", "required", "--loopback")
        let control = try recorded.folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["x"]}"#)
        try recorded.folder.curl(deck, "-H", "X-Tapedeck-Session: \(id)", recorded.small)
        let saved = try control.get("DELETE", "/v1/sessions/\(id)/recording")
        let effect = try #require(saved["lines"] as? [String])
        #expect(effect.contains { $0.hasPrefix("kept 1 response set, as requests failed") }, "\(effect)")
        #expect(saved["isAllFailed"] as? Bool == true)
        try deck.stop()
        try recorded.expectUnchanged()
    }

    @Test func `a failed interrupted recording keeps the tape, and the next start names the kept sets`() throws {
        let recorded = try Recorded()
        let deck = try recorded.folder.serve("record", "x")
        try recorded.folder.curl(deck, recorded.small)
        try deck.crash()
        let next = try recorded.folder.tapedeck("replay", "x", "--", "curl", "-sSf", recorded.small)
        #expect(next.exitCode == 0, "\(next.errorText)")
        #expect(next.errorText.contains("took up an interrupted recording: 0 exchanges are now in cassettes/x.yaml"))
        #expect(next.errorText.contains("kept 1 response set, as requests failed"), "\(next.errorText)")
        try recorded.expectUnchanged()
    }

    @Test func `sets without requests stay, unless a clean recording succeeds`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let (one, other) = (origin.url("/json"), origin.url("/binary?size=200000"))
        try folder.tapedeck("record", "x", "--", "curl", "-sS", one, other)
        let failed = try folder.tapedeck("record", "x", "--clean", "--", "sh", "-c", "curl -sS '\(one)'; exit 3")
        #expect(failed.exitCode == 3)
        #expect(failed.errorText.contains("that this run did not request, as the command failed: GET "))
        #expect(try folder.names(in: "cassettes") == ["x", "x.yaml"])
        let plain = try folder.tapedeck("record", "x", "--", "curl", "-sS", one)
        #expect(plain.errorText.contains("kept 1 response set that this run did not request"), "\(plain.errorText)")
        #expect(try folder.names(in: "cassettes") == ["x", "x.yaml"])
        let worked = try folder.tapedeck("record", "x", "--clean", "--", "curl", "-sS", one)
        #expect(worked.exitCode == 0)
        #expect(worked.errorText.contains("removed 1 response set that this run did not request: GET "))
        #expect(try folder.names(in: "cassettes") == ["x.yaml"])
    }

    @Test func `a journal removed during a recording is saved from open files`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("record", "x")
        try folder.curl(deck, origin.url("/json"))
        try folder.curl(deck, origin.url("/binary?size=2000000"))
        try FileManager.default.removeItem(atPath: folder / "cassettes/x.journal")
        try folder.curl(deck, origin.url("/echo?after"))
        deck.program.send(SIGINT)
        let result = try deck.program.result()
        #expect(result.exitCode == 74, "\(result.errorText)")
        #expect(result.errorText.contains("2 exchanges recorded"), "\(result.errorText)")
        #expect(result.errorText.contains("1 exchange is lost: somebody removed a file with a body from "))
        #expect(result.errorText.contains("somebody removed cassettes/x.journal while it recorded"))
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("/json"))
        #expect(text.contains("/echo?after"))
        #expect(try folder.names(in: "cassettes") == ["x.yaml"])
    }

    @Test func `check names body files without a reference`() throws {
        let recorded = try Recorded()
        try recorded.folder.write("left", to: "cassettes/x/old-0123456789ab.txt")
        try recorded.folder.write("mine", to: "cassettes/x/notes.txt")
        let check = try recorded.folder.tapedeck("check", "x")
        #expect(check.exitCode == 0)
        #expect(check.outputText.contains("warning: nothing names the body file x/old-0123456789ab.txt"))
        #expect(!check.outputText.contains("notes.txt"))
    }
}
