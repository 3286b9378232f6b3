import Foundation
import Testing

/// A recording that says on which machine it was made.
@Suite(.ownThreads) struct MachineTests {
    private let folder: TestFolder
    private let origin: Origin

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder)
    }

    /// Runs Tapedeck as somebody in a folder of theirs, with a command that posts where it is.
    private func run(_ options: [String], as user: String, in place: String) throws -> Program.Result {
        let home = self.folder / "home/\(user)"
        try FileManager.default.createDirectory(atPath: "\(home)/\(place)", withIntermediateDirectories: true)
        let command = """
            curl -sS --fail -d "{\\"in\\": \\"$PWD/src\\", \\"of\\": \\"file://$HOME\\"}" -H 'Content-Type: application/json' \
            "\(self.origin.url("/echo"))?at=$(printf %s "$HOME" | sed 's|/|%2F|g')"
            """
        return try self.folder.run(
            ["sh", "-c", #"cd "$0" && exec "$@""#, "\(home)/\(place)", Tapedeck.path]
                + options + ["--", "sh", "-c", command],
            environment: ["HOME": home]
        )
    }

    private var cassette: String { self.folder / "cassettes/x.yaml" }

    @Test func `it does not name the machine, and replays on another one`() throws {
        let recorded = try self.run(["record", self.cassette, "--loopback"], as: "ada", in: "src/shop")
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        #expect(recorded.outputText.contains("/home/ada/src/shop/src"))
        let text = try self.folder.read("cassettes/x.yaml")
        #expect(!text.contains("ada"), "\(text)")
        #expect(text.contains("  folder: { shape: /home/user/project, environment: PWD }\n"), "\(text)")
        #expect(text.contains("  home: { shape: /home/user, environment: HOME }\n"))

        // Another machine adds to it, and changes nothing else.
        let appended = try self.run(["append", self.cassette, "--loopback"], as: "bob", in: "builds/7")
        #expect(appended.errorText.contains("1 request played, 0 exchanges recorded"), "\(appended.errorText)")
        #expect(try self.folder.read("cassettes/x.yaml") == text)

        try self.origin.stop()
        let replayed = try self.run(["replay", self.cassette], as: "bob", in: "builds/7")
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        #expect(replayed.outputText.contains("/home/bob/builds/7/src"))
        #expect(replayed.outputText.contains("file://\(self.folder / "home/bob")\""))
        #expect(!replayed.outputText.contains("ada"))
    }

    @Test func `verified in another folder`() throws {
        let other = self.folder / "other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let options = ["record", self.cassette, "--loopback", "--verify", "--verify-in", other]
        let result = try self.run(options, as: "ada", in: "src/shop")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("verified: replays offline and elsewhere"), "\(result.errorText)")
    }

    @Test func `the rule may be off`() throws {
        try self.folder.write("redact: { off: [machine] }\n", to: "home/ada/src/shop/tapedeck.yaml")
        #expect(try self.run(["record", self.cassette, "--loopback"], as: "ada", in: "src/shop").exitCode == 0)
        #expect(try self.folder.read("cassettes/x.yaml").contains("home/ada/src/shop/src"))
    }
}
