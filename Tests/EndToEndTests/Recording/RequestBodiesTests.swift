import Foundation
import TestShare
import Testing

/// A recorded request body is a condition, and replay answers no other one, unless `--any-body` was given.
@Suite(.ownThreads) struct RequestBodiesTests {
    /// A folder with a login on tape, `x`.
    private struct Login {
        let folder: TestFolder
        let origin: Origin
        let url: String

        /// - Parameter project: lines of the project file.
        init(project: String = "") throws {
            self.folder = try TestFolder()
            self.origin = try Origin(in: self.folder)
            self.url = self.origin.url("/echo")
            // The password of a test, which is not secret.
            try self.folder.write("redact: { off: [passwords] }\n\(project)", to: "tapedeck.yaml")
        }

        func run(_ mode: String, _ options: [String] = [], password: String) throws -> Program.Result {
            let body = #"{"user": "ada", "password": "\#(password)"}"#
            let curl = ["curl", "-q", "-sS", "-H", "Content-Type: application/json", "-d", body, self.url]
            return try self.folder.tapedeck([mode, "x"] + options + ["--"] + curl)
        }

        /// The cassette without the times of the recording.
        var cassette: [Substring] {
            get throws {
                try self.folder.read("cassettes/x.yaml").split(separator: "\n").filter { !$0.contains("recorded:") }
            }
        }
    }

    private let note = "1 response set answers any request body: POST "

    @Test(.long, arguments: [[], ["deck: { anyBody: true }\n"]])
    func `a wrong password gets the recorded answer if any body may, and a note says so`(project: [String]) throws {
        let login = try Login(project: project.joined())
        let recorded = try login.run("record", project.isEmpty ? ["--any-body"] : [], password: "right")
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        #expect(recorded.errorText.contains(self.note), "\(recorded.errorText)")
        let wrong = try login.run("replay", password: "wrong")
        #expect(wrong.exitCode == 0)
        #expect(wrong.outputText.contains(#""password": "right""#))
    }

    @Test func `a wrong password gets a 501, and the same traffic the same file`() throws {
        let login = try Login()
        let recorded = try login.run("record", password: "right")
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        #expect(!recorded.errorText.contains("any request body"), "\(recorded.errorText)")
        let cassette = try login.cassette
        #expect(try login.run("record", password: "right").exitCode == 0)
        #expect(try login.cassette == cassette)

        let wrong = try login.run("replay", password: "wrong")
        #expect(wrong.exitCode == 70)
        #expect(wrong.outputText.contains("unmatched"), "\(wrong.outputText)")
        let right = try login.run("replay", password: "right")
        #expect(right.exitCode == 0, "\(right.errorText)")
        #expect(right.outputText.contains(#""password": "right""#))
    }

    @Test func `append records a body that is not on tape`() throws {
        let login = try Login()
        #expect(try login.run("append", password: "right").exitCode == 0)
        let other = try login.run("append", password: "wrong")
        #expect(other.outputText.contains(#""password": "wrong""#), "\(other.outputText)")
        let replay = try login.run("replay", password: "wrong")
        #expect(replay.outputText.contains(#""password": "wrong""#), "\(replay.outputText)")
    }
}
