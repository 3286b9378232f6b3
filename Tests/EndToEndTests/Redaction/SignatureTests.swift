import Foundation
import TestShare
import Testing

/// Clients that check digests and signatures find them right in a replay: nothing that is signed was taken for a secret.
@Suite(.ownThreads) struct SignatureTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("signed.py").path

    /// `signed.py` while it serves.
    private final class SignedOrigin: Sendable {
        let folder: TestFolder
        let base: String
        private let program: Program

        init(in folder: TestFolder, _ options: String...) throws {
            self.folder = folder
            try folder.write("", to: "signed/started")
            let command = ["python3", SignatureTests.script, "origin", folder / "signed"] + options
            self.program = try folder.start(command, input: nil)
            let port = try self.program.waitForOutput("the port") { text in
                text.contains("\n") ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
            }
            self.base = "http://127.0.0.1:\(port)"
        }

        deinit {
            self.program.closeInput()
        }

        func stop() throws {
            self.program.closeInput()
            try self.program.result()
            self.folder.holdPort(of: self.base)
        }

        /// Runs a command while recording, and again in a replay without the origin.
        func recordAndReplay(_ live: [String], _ replayed: [String]) throws {
            let recorded = try self.folder.tapedeck(["record", "signed", "--"] + live)
            #expect(recorded.exitCode == 0, "\(recorded.outputText)\(recorded.errorText)")
            try self.stop()
            let played = try self.folder.tapedeck(["replay", "signed", "--"] + replayed)
            #expect(played.exitCode == 0, "\(played.outputText)\(played.errorText)")
            #expect(played.errorText.contains(" 0 unmatched"), "\(played.errorText)")
        }
    }

    /// True if a program that not every machine has is on this one.
    private static func has(_ command: String...) -> Bool {
        guard let result = try? TestFolder().run(command) else { return false }
        return result.exitCode == 0
    }

    @Test(.long) func `Metadata of npm, DSSE and TUF verifies with the key of those who signed it`() throws {
        let folder = try TestFolder()
        let origin = try SignedOrigin(in: folder)
        let command = ["python3", Self.script, "verify", folder / "signed", origin.base]
        try origin.recordAndReplay(command, command)
    }

    @Test(.long, .enabled(if: Self.has("python3", "-m", "pip", "--version"), "pip is not installed"))
    func `pip downloads a wheel with the digest that it requires`() throws {
        let folder = try TestFolder()
        let origin = try SignedOrigin(in: folder)
        func command(_ output: String) -> [String] {
            [
                "python3", "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", "--no-cache-dir",
                "--index-url", "\(origin.base)/simple/", "--require-hashes", "-r", folder / "signed/requirements.txt",
                "-d", folder / output,
            ]
        }
        try origin.recordAndReplay(command("live"), command("replayed"))
        let name = "sample_package-1.0.0-py3-none-any.whl"
        expectSame(
            try Data(contentsOf: URL(fileURLWithPath: folder / "replayed/\(name)")),
            try Data(contentsOf: URL(fileURLWithPath: folder / "live/\(name)"))
        )
    }

    @Test(.long, .enabled(if: Self.has("npm", "--version"), "npm is not installed"))
    func `npm installs a package with the integrity of its metadata`() throws {
        let folder = try TestFolder()
        let origin = try SignedOrigin(in: folder)
        func command(_ output: String) -> [String] {
            [
                "npm", "install", "sample-package@1.0.0", "--prefix", folder / output, "--cache",
                folder / "cache-\(output)",
                "--registry", origin.base, "--no-audit", "--no-fund", "--ignore-scripts", "--no-update-notifier",
            ]
        }
        try origin.recordAndReplay(command("live"), command("replayed"))
        let file = "node_modules/sample-package/index.js"
        #expect(try folder.read("replayed/\(file)") == folder.read("live/\(file)"))
    }

    @Test(.long, arguments: [[], ["--dumb"]])
    func `A clone of a repository is whole`(options: [String]) throws {
        let folder = try TestFolder()
        let origin = options.isEmpty ? try SignedOrigin(in: folder) : try SignedOrigin(in: folder, options[0])
        func command(_ output: String) -> [String] {
            ["git", "clone", "-q", "\(origin.base)/git/sample.git", folder / output]
        }
        try origin.recordAndReplay(command("live"), command("replayed"))
        let check = try folder.run(["git", "-C", folder / "replayed", "fsck", "--full", "--strict"])
        #expect(check.exitCode == 0, "\(check.outputText)\(check.errorText)")
        let head = try folder.run(["git", "-C", folder / "replayed", "rev-parse", "HEAD"])
        #expect(try head.outputText == folder.read("signed/head"))
    }

    @Test(.long) func `A push is played at another time, with the ids of its own commits, and no other one`() throws {
        let folder = try TestFolder()
        let origin = try SignedOrigin(in: folder)
        func push(_ name: String, content: String = "one", message: String = "change", time: Int) -> [String] {
            let script = """
                set -e; export GIT_AUTHOR_DATE='\(time) +0900' GIT_COMMITTER_DATE='\(time) +0900'
                git clone -q '\(origin.base)/git/sample.git' \(name); cd \(name)
                git config user.name Ada; git config user.email ada@example.com
                for file in a b; do echo \(content) $file > $file; git add .; git commit -q -m "\(message) $file"; done
                git tag -a v1 -m 'The first.'
                git push -q origin HEAD:release v1
                [ "$(git ls-remote origin refs/heads/release | cut -f1)" = "$(git rev-parse HEAD)" ]
                [ "$(git ls-remote origin refs/tags/v1 | cut -f1)" = "$(git rev-parse v1)" ]
                echo more >> a; git commit -q -a -m more; git push -q -f origin HEAD:release; git push -q origin :v1
                """
            return ["sh", "-c", script]
        }
        let now = Int(Date().timeIntervalSince1970)
        try origin.recordAndReplay(push("live", time: now), push("replayed", time: now - 4))
        for other in [
            push("content", content: "two", time: now), push("message", message: "other", time: now),
            push("time", time: now - 100_000_000),
        ] {
            let refused = try folder.tapedeck(["replay", "signed", "--"] + other)
            #expect(refused.exitCode != 0)
            #expect(refused.errorText.contains(" 1 unmatched"), "\(refused.errorText)")
        }
    }
}
