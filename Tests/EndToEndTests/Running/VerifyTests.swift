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

    /// Words and numbers that are others in each run, and look as if they were chosen.
    private static let chosen = #"""
        {\"took\":$(date +1%N),\"by\":\"$(shuf -n1 -e Ada Grace Edsger Donald Barbara Tony Niklaus)-$$\",\
        \"text\":\"It is $(date +%N) ns past, so write a poem.\"}
        """#

    @Test func `what two runs show to vary is learned, and noted in the cassette`() throws {
        let result = try self.record([], Self.chosen)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(
            result.errorText.contains("verify: learned 3 places that vary; replaying once more"),
            "\(result.errorText)"
        )
        #expect(result.errorText.contains("learned, and noted as `varies` in "), "\(result.errorText)")
        let text = try self.folder.read("cassettes/x.yaml")
        #expect(text.contains("    varies:\n      $.took: number\n      $.by: word\n"), "\(text)")
        #expect(text.contains("      $.text: is <number> ns\n"), "\(text)")

        // Another run, and one that asks for something else.
        let replay = ["replay", "x", "--no-local"]
        let again = try self.folder.tapedeck(replay + self.post(Self.chosen))
        #expect(again.exitCode == 0, "\(again.errorText)")
        let other = Self.chosen.replacing("poem", with: "song")
        let changed = try self.folder.tapedeck(replay + self.post(other))
        #expect(changed.errorText.contains("1 unmatched"), "\(changed.errorText)")
        // A person has asked for equal values.
        #expect(try self.folder.tapedeck(replay + ["--exact", "--learn"] + self.post(other)).exitCode == 64)
    }

    @Test func `an order that varies is learned`() throws {
        let list = #"{\"tags\":[$(shuf -e 1 2 3 4 5 6 7 8 9 10 | paste -sd,)]}"#
        let result = try self.record([], list)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(try self.folder.read("cassettes/x.yaml").contains("    varies:\n      $.tags: order\n"))
    }

    @Test func `one that says something else each time is not verified, and nothing is learned`() throws {
        // One item more in each run.
        let result = try self.record([], #"{\"items\":[$(echo >>runs; seq -s, 1 $(wc -l <runs))]}"#)
        #expect(result.exitCode == 70)
        #expect(
            result.errorText.contains("not verified: replaying offline, 1 request is unmatched"),
            "\(result.errorText)"
        )
        #expect(!(try self.folder.read("cassettes/x.yaml")).contains("varies"))
    }

    @Test func `places that cannot be noted are listed, and the run fails`() throws {
        let recorded = try self.folder.tapedeck(["record", "x", "--loopback"] + self.post(Self.chosen))
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        // Nothing can be added to a set on one line.
        let url = self.origin.url("/echo")
        let flow = """
            {tapedeck: 1, responseSets: [{name: echo, request: {method: POST, url: '\(url)', body: {json: '{"took": 3}'}}, \
            variants: [{name: recorded, takes: [{status: 200, recorded: 2026-01-01T00:00:00Z}]}]}]}

            """
        try self.folder.write(flow, to: "cassettes/x.yaml")
        let replay = ["replay", "x", "--no-local", "--learn"] + self.post(#"{\"took\":4}"#)
        let result = try self.folder.tapedeck(replay)
        #expect(result.exitCode == 74, "\(result.errorText)")
        #expect(result.errorText.contains("what varies could not be noted: "), "\(result.errorText)")
        #expect(result.errorText.contains("  echo: $.took: number (3, 4)"), "\(result.errorText)")
        #expect(try self.folder.read("cassettes/x.yaml") == flow)
    }

    @Test func `sessions of a deck that learns note what varies when they end`() throws {
        let recorded = try self.folder.tapedeck(["record", "x", "--loopback"] + self.post(Self.chosen))
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        try self.origin.stop()
        let program = """
            deck=${http_proxy#http://}
            for number in 1 2 3; do
              id=$('\(Tapedeck.path)' session create x --name "test $number")
              (export http_proxy=http://$id:@$deck; \(self.post(Self.chosen).last ?? ""))
              '\(Tapedeck.path)' session end $id
            done
            """
        let served = try self.folder.tapedeck(
            ["serve", "--sessions", "required", "--no-local", "--", "sh", "-c", program],
            environment: ["TAPEDECK_LEARN": "1"]
        )
        #expect(served.exitCode == 0, "\(served.outputText)\n\(served.errorText)")
        let text = try self.folder.read("cassettes/x.yaml")
        #expect(text.contains("    varies:\n      $.took: number\n"), "\(text)")
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
