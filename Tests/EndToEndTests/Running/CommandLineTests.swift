import Foundation
import TestShare
import Testing

/// Mistakes of a command line, and help.
@Suite(.ownThreads) struct CommandLineTests {
    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/lab.yaml")
        return folder
    }

    @Test(
        arguments: [
            ("replay lab python3 -m pytest", "tapedeck replay lab -- python3 -m pytest"),
            ("replay --port 0 lab curl -s http://a/?x", "tapedeck replay --port 0 lab -- curl -s 'http://a/?x'"),
            ("record lab curl -s http://a/", "tapedeck record lab -- curl -s http://a/"),
            ("record lab no-such-program", "tapedeck record lab -- no-such-program"),
            ("append lab --only a sh -c true", "tapedeck append lab --only a -- sh -c true"),
            ("passthrough curl http://a/", "tapedeck passthrough -- curl http://a/"),
        ]
    )
    func `a forgotten -- is reported, with advice`(line: String, corrected: String) throws {
        let result = try self.folder().run([Tapedeck.path] + line.split(separator: " ").map(String.init))
        #expect(result.exitCode == 64)
        #expect(
            result.errorText == "tapedeck: the command to run comes after `--`: \(corrected)\n",
            "\(result.errorText)"
        )
    }

    @Test(
        arguments: [
            ("session", "`tapedeck session` needs one of its commands: create, list, end"),
            ("variant", "`tapedeck variant` needs one of its commands: rename, remove, copy, default"),
            ("--", "there is no command; `tapedeck --help` lists them"),
            ("replay lab --", "there is no command behind `--`: name one, or leave `--` out"),
        ]
    )
    func `a missing command is an error`(line: String, text: String) throws {
        let result = try self.folder().run([Tapedeck.path] + line.split(separator: " ").map(String.init))
        #expect(result.exitCode == 64)
        #expect(result.outputText.isEmpty)
        #expect(result.errorText == "tapedeck: \(text)\n", "\(result.errorText)")
    }

    /// As libfaketime does, which this stands for.
    @Test(.enabled(if: Self.compiler != nil, "there is no C compiler here"))
    func `a preloaded library that sets a variable takes no argument away`() throws {
        let folder = try self.folder()
        try folder.write(
            """
            #include <stdlib.h>
            __attribute__((constructor)) static void set(void) {
                for (char name[] = "PRELOADED_A"; name[10] <= 'Z'; name[10]++) setenv(name, "1", 1);
            }
            """,
            to: "set.c"
        )
        let compiler = try #require(Self.compiler)
        let compiled = try folder.run([compiler, "-shared", "-fPIC", "-o", "set.so", "set.c"])
        try #require(compiled.exitCode == 0, "\(compiled.errorText)")
        let script = "test -n \"$PRELOADED_Z\" && curl -sS \(Cassettes.usersURL); exit 7"
        let environment = ["LD_PRELOAD": folder / "set.so"]
        let run = try folder.tapedeck("replay", "lab", "--", "sh", "-c", script, environment: environment)
        #expect(run.exitCode == 7, "\(run.errorText)")
        #expect(run.outputText == "ada")
        let shown = try folder.tapedeck("show", "lab", environment: environment)
        #expect(shown.exitCode == 0 && shown.outputText.contains("users"), "\(shown.errorText)")
    }

    private static let compiler = ["clang", "cc", "gcc"].lazy
        .compactMap { name in
            TestFolder.searchPath.split(separator: ":").map { "\($0)/\(name)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        .first

    @Test func `a cassette that is called like a program is a cassette`() throws {
        let folder = try self.folder()
        try folder.write(Cassettes.users, to: "cassettes/sh.yaml")
        let result = try folder.run(
            [Tapedeck.path, "replay", "lab", "sh", "--", "curl", "-sS", Cassettes.usersURL]
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
    }

    @Test func `help prints the pages of the documentation, and commands go before pages of their name`() throws {
        let folder = try TestFolder()
        func help(_ word: String) throws -> String { try folder.tapedeck("help", word).outputText }
        let pages = try help("pages").split(separator: "\n").map(String.init)
        #expect(pages.contains("getting-started") && pages.contains("recording.md"), "\(pages)")
        for page in pages { #expect(try help(page).hasPrefix("# "), "\(page)") }
        #expect(try help("recording").hasPrefix("OVERVIEW: "))
    }

    @Test(
        arguments: [
            ("recrod lab", "there is no command `recrod`; did you mean `tapedeck record`?"),
            ("replya --help", "there is no command `replya`; did you mean `tapedeck replay`?"),
            ("help recrod", "there is no command or page `recrod`; did you mean `tapedeck help record`?"),
            (
                "help trubleshooting",
                "there is no command or page `trubleshooting`; did you mean `tapedeck help troubleshooting`?"
            ),
            ("help frobnicate", "there is no command or page `frobnicate`; `tapedeck --help` lists them"),
            ("frobnicate --help", "there is no command `frobnicate`; `tapedeck --help` lists them"),
            (
                "session creat",
                "there is no command `creat` in `tapedeck session`; did you mean `tapedeck session create`?"
            ),
            (
                "help session lst",
                "there is no command `lst` in `tapedeck session`; did you mean `tapedeck session list`?"
            ),
        ]
    )
    func `an unknown command is reported, with the probable one`(line: String, text: String) throws {
        let result = try TestFolder().run([Tapedeck.path] + line.split(separator: " ").map(String.init))
        #expect(result.exitCode == 64)
        #expect(result.errorText == "tapedeck: \(text)\n", "\(result.errorText)")
        #expect(result.outputText.isEmpty)
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
        }

        var command: Command
    }

    @Test func `the help of every command begins with its purpose, and ends with two examples`() throws {
        let folder = try TestFolder()
        let dump = try folder.run([Tapedeck.path, "--experimental-dump-help"])
        func paths(_ command: Dump.Command, _ path: [String]) -> [[String]] {
            [path]
                + (command.subcommands ?? []).filter { $0.commandName != "help" }
                .flatMap { paths($0, path + [$0.commandName]) }
        }
        let commands = paths(try JSONDecoder().decode(Dump.self, from: dump.output).command, [])
        #expect(commands.count > 30)
        for path in some(of: commands) {
            let help = try folder.run([Tapedeck.path] + path + ["--help"])
            #expect(help.exitCode == 0)
            #expect(help.outputText.hasPrefix("OVERVIEW: "), "\(path)")
            let examples = help.outputText.components(separatedBy: "\nEXAMPLES:\n").dropFirst().first ?? ""
            let lines = examples.split(separator: "\n")
            #expect(lines.count == 2, "\(path)")
            let names = path.isEmpty ? "tapedeck " : "tapedeck \(path.joined(separator: " "))"
            #expect(lines.allSatisfy { $0.contains(names) }, "\(path): \(lines)")
            #expect(try folder.run([Tapedeck.path, "help"] + path).output == help.output, "\(path)")
        }
        let replay = try folder.run([Tapedeck.path, "replay", "--help"]).outputText
        let usual = try #require(replay.range(of: "MOST USED:"))
        let limits = try #require(replay.range(of: "LIMITS:"))
        #expect(usual.lowerBound < limits.lowerBound)
    }

    @Test func `errors of steering commands name commands`() throws {
        let folder = try self.folder()
        let deck = try folder.serve("replay", "lab")
        let control = try #require(deck.controlURL)
        let cases: [([String], String)] = [
            (["session", "end", "default"], "`tapedeck reset` resets it"),
            (["sets", "--session", "nope"], "`tapedeck session list` lists those there are"),
            (["session", "create", "nope"], "nope"),
        ]
        for (command, text) in cases {
            let result = try folder.tapedeck(command + ["--deck", control])
            #expect(result.exitCode != 0)
            #expect(result.errorText.contains(text), "\(result.errorText)")
            #expect(!result.errorText.contains("/v1/"), "\(result.errorText)")
        }
    }

    @Test func `a 501's reason appears on the terminal once`() throws {
        let folder = try self.folder()
        let deck = try folder.serve("replay", "lab")
        _ = try folder.curl(deck, "http://api.example.com/orders")
        let served = try deck.stop().errorText
        #expect(served.components(separatedBy: "nearest is \"users\"").count == 2, "\(served)")
        let run = try folder.tapedeck("replay", "lab", "--", "curl", "-sS", "http://api.example.com/orders").errorText
        #expect(run.components(separatedBy: "nearest is \"users\"").count == 2, "\(run)")
    }
}
