import Foundation
import TestShare
import Testing

/// The log as a collector gets it.
@Suite(.ownThreads) struct LogFormatTests {
    /// Returns every line of a program's output, each of which must be an object.
    private static func lines(_ result: Program.Result) throws -> [[String: Any]] {
        try #require(result.errors.last == UInt8(ascii: "\n"), "\(result.errorText)")
        return try result.errors.split(separator: UInt8(ascii: "\n")).map { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            let fields = try #require(object, "no object: \(String(decoding: line, as: UTF8.self))")
            for name in ["time", "level", "message", "logger"] {
                #expect(fields[name] is String, "no \(name): \(fields)")
            }
            let time = try #require(fields["time"] as? String)
            #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil, "\(time)")
            return fields
        }
    }

    /// Starts a deck that writes JSON, and returns the line with its address.
    private static func serve(
        _ folder: TestFolder,
        _ arguments: [String]
    ) throws -> (program: Program, serving: [String: Any]) {
        let program = try folder.start(
            Tapedeck.command(arguments) + ["--port", "0", "--log-format", "json"]
        )
        let serving = try program.waitForErrors("where it is") { text in
            text.split(separator: "\n").lazy.compactMap { line in
                try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            }.first { $0["message"] as? String == "serving" }.map { $0.mapValues { "\($0)" } }
        }
        return (program, serving)
    }

    @Test func `from start to end every line is an object`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let (program, serving) = try Self.serve(folder, ["replay", "users"])
        let url = try #require(serving["url"] as? String)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect((serving["controlURL"] as? String)?.hasPrefix("http://127.0.0.1:") == true)
        let ask = ["curl", "-q", "-sS", "--max-time", "40", "--proxy", url]
        try folder.run(ask + [Cassettes.usersURL])
        // Characters that a client may put into a URL and a header must not break a line.
        try folder.run(ask + ["-X", "A\"B", "http://api.example.com/%0A%22%00?q=\u{1B}[31m\"\\"])
        try folder.run(ask + ["http://api.example.com/b%C3%28"])
        program.send(SIGTERM)
        let result = try program.result()
        #expect(result.exitCode == 0)
        let lines = try Self.lines(result)
        let unmatched = lines.filter { $0["message"] as? String == "nothing on tape answers a request" }
        #expect(unmatched.count >= 1)
        #expect(unmatched.allSatisfy { $0["level"] as? String == "notice" && $0["request"] is String })
        let end = try #require(lines.last)
        #expect((end["message"] as? String)?.hasPrefix("replay: 1 request played") == true, "\(end)")
        #expect(end["connectionsOpened"] as? Int == 0)
        #expect((end["unmatched"] as? Int ?? 0) >= 1)
        #expect(result.output.isEmpty)
    }

    @Test(.long) func `mistakes use the format, too`() throws {
        let folder = try TestFolder()
        try folder.write("tapedeck: 1\n\tx", to: "cassettes/broken.yaml")
        for (arguments, code) in [
            (["replay", "broken"], 65), (["replay", "nothing"], 65), (["replay", "--port", "seventy"], 64),
            (["replay", "x", "--no-such-option"], 64),
        ] as [([String], Int32)] {
            let result = try folder.tapedeck(arguments + ["--log-format=json"])
            #expect(result.exitCode == code, "\(arguments): \(result.errorText)")
            let lines = try Self.lines(result)
            #expect(lines.count == 1, "\(result.errorText)")
            #expect(lines.first?["level"] as? String == "error")
        }
    }

    @Test func `a generated token is printed once, in its own field`() throws {
        let folder = try TestFolder()
        let (program, _) = try Self.serve(folder, ["serve", "--host", "0.0.0.0"])
        program.send(SIGTERM)
        let result = try program.result()
        let lines = try Self.lines(result)
        let tokens = lines.compactMap { $0["token"] as? String }
        let token = try #require(tokens.first)
        #expect(tokens.count == 1)
        #expect(token.count == 32)
        #expect(result.errorText.components(separatedBy: token).count == 2)
    }

    @Test(.long) func `the level selects the lines`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        for (level, isTold) in [("debug", true), ("notice", false)] {
            let deck = try folder.serve("replay", "users", "--log-level", level)
            try folder.curl(deck, Cassettes.usersURL)
            let said = try deck.stop().errorText
            #expect(said.contains("played a take") == isTold, "\(level): \(said)")
        }
        for (level, isTold) in [("notice", true), ("error", false)] {
            let deck = try folder.serve("replay", "users", "--log-level", level)
            try folder.curl(deck, "http://api.example.com/nowhere")
            let said = try deck.stop().errorText
            #expect(said.contains("nothing on tape answers a request") == isTold, "\(level): \(said)")
        }
        #expect(try folder.tapedeck("replay", "users", "--log-level", "loud").exitCode == 64)
    }

    @Test func `a secret stays out of it`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let (program, serving) = try Self.serve(folder, ["replay", "users", "--log-level", "debug"])
        let url = try #require(serving["url"] as? String)
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        try folder.run([
            "curl", "-q", "-sS", "--max-time", "40", "--proxy", url, "-H", "Authorization: Bearer \(secret)",
            "http://api.example.com/nowhere?access_token=\(secret)",
        ])
        program.send(SIGTERM)
        let result = try program.result()
        let lines = try Self.lines(result)
        #expect(lines.contains { ($0["request"] as? String)?.contains("/nowhere?access_token=") == true })
        #expect(!result.errorText.contains(secret))
    }
}
