import Foundation
import Testing

/// `--verify`, which replays a command again.
@Suite(.ownThreads) struct VerifyTests {
    private let folder: TestFolder
    private let origin: Origin

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder)
    }

    /// A command that posts what a shell makes of a text.
    private func post(_ body: String) -> [String] {
        [
            "--", "sh", "-c",
            "curl -sS --fail -H 'Content-Type: application/json' -d \"\(body)\" \(self.origin.url("/echo"))",
        ]
    }

    private func record(_ options: [String] = [], _ body: String) throws -> Program.Result {
        try self.folder.tapedeck(
            ["record", "x", "--loopback", "--verify"] + options + self.post(body),
            environment: ["API_TOKEN": "tok_live_4eC39HqLyjWDarjtT1zd", "TMPDIR": self.folder / "temporary"]
        )
    }

    private static let varying = #"""
        {\"id\":\"$(cat /proc/sys/kernel/random/uuid)\",\"file\":\"${TMPDIR:-/tmp}/report.txt\",\"in\":\"$PWD\",\
        \"at\":\"$(date -Is)\",\"token\":\"$API_TOKEN\"}
        """#

    @Test func `a command whose values vary replays offline and elsewhere`() throws {
        try FileManager.default.createDirectory(atPath: self.folder / "other folder", withIntermediateDirectories: true)
        let result = try self.record(["--verify-in", "other folder"], Self.varying)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("verify: replaying offline\n"))
        #expect(result.errorText.contains("working folder (\(self.folder / "other folder"))"), "\(result.errorText)")
        #expect(
            result.errorText.contains("verified: replays offline and elsewhere, 2 values vary:\n"),
            "\(result.errorText)"
        )
        #expect(result.errorText.contains("/echo: $.id\n"))
        // The origin was asked once, and the program without its secret the second and the third time.
        #expect(try self.origin.requests().count == 1)
        #expect(
            result.outputText.components(separatedBy: "tok_live_4eC39HqLyjWDarjtT1zd").count == 2,
            "\(result.outputText)"
        )
        #expect(!(try self.folder.read("cassettes/x.yaml")).contains("tok_live_4eC39"))

        try self.origin.stop()
        let replay = try self.folder.tapedeck(
            ["replay", "x"] + self.post(Self.varying),
            environment: [
                "API_TOKEN": "tok_live_9fD39HqLyjWDarjtT1aa", "TAPEDECK_VERIFY": "1",
                "TMPDIR": self.folder / "temporary",
            ]
        )
        #expect(replay.exitCode == 0, "\(replay.errorText)")
        #expect(!replay.errorText.contains("verify: replaying offline"))
        #expect(replay.errorText.contains("verified: replays offline and elsewhere"))
    }

    @Test func `one that differs each time is not verified`() throws {
        let result = try self.record([], #"{\"count\":$(date +1%N)}"#)
        #expect(result.exitCode == 70)
        #expect(
            result.errorText.contains("not verified: replaying offline, 1 request is unmatched"),
            "\(result.errorText)"
        )
        #expect(result.errorText.contains("body $.count is "))
        // The recording stays.
        #expect(self.folder.exists("cassettes/x.yaml"))
    }

    @Test func `a command that fails is not run again`() throws {
        let result = try self.folder.tapedeck("record", "x", "--loopback", "--verify", "--", "sh", "-c", "exit 3")
        #expect(result.exitCode == 3)
        #expect(!result.errorText.contains("verify"))
    }

    @Test func `a command must be there to verify, and its folder`() throws {
        #expect(try self.folder.tapedeck("record", "x", "--verify").errorText.contains("put it behind --"))
        #expect(try self.folder.tapedeck("replay", "x", "--verify-in", ".", "--", "true").exitCode == 64)
        let none = try self.folder.tapedeck("replay", "x", "--verify", "--verify-in", "none", "--", "true")
        #expect(none.errorText.contains("--verify-in takes a folder, and none is none"))
    }

    // MARK: Clock

    private static let dated = """
        tapedeck: 1
        responseSets:
          - name: hello
            request: { method: GET, url: https://api.example.com/hello }
            variants:
              - name: recorded
                takes:
                  - { status: 200, recorded: '2025-03-01T10:00:00Z, request 2', body: { text: second } }
                  - { status: 200, recorded: '2025-02-28T23:30:00Z, request 1', body: { text: first } }
        """

    /// Also over TLS, by an authority that is made now.
    @Test func `a command's clock begins at the recording`() throws {
        try self.folder.write(Self.dated, to: "cassettes/hello.yaml")
        let program = "date -u +%Y-%m-%dT%H; echo $TAPEDECK_TIME; curl -sS https://api.example.com/hello"
        let result = try self.folder.tapedeck("replay", "hello", "--clock", "recorded", "--", "sh", "-c", program)
        #expect(result.exitCode == 0, "\(result.errorText)")
        let isInstalled = !result.errorText.contains("libfaketime is not installed")
        let lines = result.outputText.split(separator: "\n")
        if isInstalled { #expect(lines.first == "2025-02-28T23") }
        #expect(lines.dropFirst().first?.hasPrefix("2025-02-28T23:30:") == true, "\(result.outputText)")
        #expect(lines.last == "second")
    }

    @Test func `a clock needs a time`() throws {
        try self.folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let result = try self.folder.tapedeck("replay", "users", "--clock", "recorded", "--", "true")
        #expect(result.errorText.contains("no take of the cassettes says when it was recorded"), "\(result.errorText)")
        #expect(try self.folder.tapedeck("replay", "users", "--clock", "x", "--", "true").exitCode == 64)
    }
}
