import Foundation
import Testing

/// What the README shows: the bundled cassettes, and the demo.
@Suite struct ExampleTests {
    /// The `cassettes` folder of the repository.
    private static let cassettes = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("cassettes").path

    @Test func `every bundled cassette is without problems`() throws {
        let folder = try TestFolder()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.cassettes)
            .filter { $0.hasSuffix(".yaml") }
            .map { String($0.dropLast(5)) }
            .sorted()
        #expect(names == ["github", "payments"])
        let result = try folder.tapedeck(["check"] + names + ["--cassettes", Self.cassettes])
        #expect(result.exitCode == 0)
        #expect(result.outputText.split(separator: "\n").allSatisfy { $0.hasSuffix("no problems") })
    }

    @Test func `the tour of the README plays from the bundled cassettes`() throws {
        let folder = try TestFolder()
        let found = try self.replay(["github"], "https://api.github.com/users/octocat", folder)
        #expect(found.exitCode == 0)
        #expect(found.outputText == #"{"login":"octocat","id":583231,"name":"The Octocat"}"#)
        #expect(found.errorText.contains("replay: 1 request played, 0 unmatched, 0 connections opened upstream"))

        let missing = try self.replay(["github"], "https://api.github.com/users/nobody", folder)
        #expect(missing.exitCode == 70)
        #expect(missing.errorText.contains("unmatched: GET https://api.github.com/users/nobody"))
        #expect(missing.errorText.contains(#"nearest is "user octocat": path is /users/nobody"#))
    }

    @Test func `several cassettes play at once, query order does not matter, takes go in order`() throws {
        let folder = try TestFolder()
        let cassettes = ["github", "payments"]
        let search = "https://api.github.com/search/repositories?sort=stars&q=swift"
        #expect(try self.replay(cassettes, search, folder).outputText.contains("swiftlang/swift"))
        let payment = "https://pay.example.com/payments/42"
        let status = try folder.tapedeck(
            ["replay"] + cassettes + ["--cassettes", Self.cassettes, "--", "curl", "-s", payment, payment, payment]
        )
        #expect(status.outputText == #"{"status": "pending"}{"status": "done"}{"status": "done"}"#)
    }

    @Test func `a login is told apart from another by its body`() throws {
        let folder = try TestFolder()
        for (body, answer) in [
            (#"{"password":"right","user":"ada"}"#, #"{"error": "invalid credentials"}"#),
            (#"{"user":"ada","password":"right"}"#, #"{"user": "ada"}"#),
        ] {
            let login = try folder.tapedeck([
                "replay", "payments", "--cassettes", Self.cassettes, "--",
                "curl", "-s", "-d", body, "https://pay.example.com/login",
            ])
            #expect(login.outputText == answer)
        }
    }

    @Test func `the demo records, switches its origin off, and replays the same`() throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck("demo")
        #expect(result.exitCode == 0)
        #expect(result.outputText.contains("recorded 3 exchanges"))
        #expect(result.outputText.contains("replayed 3 requests: the same answers, 0 connections opened upstream"))
        #expect(result.outputText.contains("tapedeck: 1\nresponseSets:\n"))
        #expect(!folder.exists("ca"))
    }

    @Test func `the variables of ca env make curl trust a deck that serves`() throws {
        let folder = try TestFolder()
        let deck = try folder.serve("replay", "github", "--cassettes", Self.cassettes)
        let script = """
            eval "$("\(Tapedeck.path)" ca env)"; curl -s -x \(deck.url) https://api.github.com/users/octocat
            """
        let result = try folder.run(["sh", "-c", script])
        #expect(result.exitCode == 0)
        #expect(result.outputText.contains("The Octocat"))
        let printed = try folder.tapedeck("ca", "print")
        #expect(printed.outputText == (try String(contentsOfFile: deck.authorityPath, encoding: .utf8)))
        try deck.stop()
    }

    private func replay(_ cassettes: [String], _ url: String, _ folder: TestFolder) throws -> Program.Result {
        try folder.tapedeck(["replay"] + cassettes + ["--cassettes", Self.cassettes, "--", "curl", "-s", url])
    }
}
