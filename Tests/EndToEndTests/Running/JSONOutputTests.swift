import Foundation
import TapedeckCore
import TestShare
import Testing

/// The JSON that `--json` prints: shapes that programs rely on.
@Suite(.ownThreads) struct JSONOutputTests {
    private func object(_ result: Program.Result) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.outputText)")
    }

    @Test func `show and check`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let shown = try self.object(try folder.tapedeck("show", "users", "--json"))
        #expect(shown["path"] as? String == "cassettes/users.yaml")
        let set = try #require((shown["responseSets"] as? [[String: Any]])?.first)
        #expect(set["name"] as? String == "users")
        #expect(set["request"] as? String == "GET http://api.example.com/users")
        let variant = try #require((set["variants"] as? [[String: Any]])?.first)
        #expect(variant["isDefault"] as? Bool == true)
        let take = try #require((variant["takes"] as? [[String: Any]])?.first)
        #expect(take["status"] as? Int == 200)
        #expect(take["bodySize"] as? Int == 3)

        try folder.write(Cassettes.users.replacing("status: 200", with: "status: x"), to: "cassettes/broken.yaml")
        let check = try folder.tapedeck("check", "users", "broken", "--json")
        #expect(check.exitCode == 65)
        let cassettes = try #require(try self.object(check)["cassettes"] as? [[String: Any]])
        #expect(cassettes.map { $0["errors"] as? Int } == [0, 1])
        #expect(cassettes.first?["responseSets"] as? Int == 1)
        let problem = try #require((cassettes.last?["problems"] as? [[String: Any]])?.first)
        #expect(problem["severity"] as? String == "error")
        #expect(problem["path"] as? String == "cassettes/broken.yaml")
        #expect(problem["line"] as? Int == 10)
        #expect((problem["message"] as? String)?.isEmpty == false)
    }

    @Test(arguments: seeds(1)) func `scan and prune`(seed: UInt64) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        var random = SeededRandom(seed: seed)
        let characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
        let secret = "AKIA" + String((0..<16).map { _ in characters.randomElement(using: &random) ?? "A" })
        try folder.write(Cassettes.users.replacing("text: ada", with: "text: \(secret)"), to: "cassettes/users.yaml")
        let scan = try folder.tapedeck("scan", "users", "--json")
        #expect(scan.exitCode == 1)
        #expect(!scan.outputText.contains(secret))
        let found = try self.object(scan)
        #expect(found["files"] as? Int == 1)
        let finding = try #require((found["findings"] as? [[String: Any]])?.first)
        #expect(finding["kind"] as? String == "secret", "\(scan.outputText)")
        #expect(finding["path"] as? String == "cassettes/users.yaml")
        #expect(finding["line"] as? Int == 14)

        let urls = [origin.url("/json"), origin.url("/counter")]
        try folder.tapedeck(["record", "two", "--", "curl", "-sS"] + urls)
        try folder.tapedeck(["replay", "two", "--report", "run.json", "--", "curl", "-sS", urls[0]])
        let prune = try folder.tapedeck("prune", "two", "--report", "run.json", "--check", "--json")
        #expect(prune.exitCode == 1)
        let cassette = try #require((try self.object(prune)["cassettes"] as? [[String: Any]])?.first)
        #expect(cassette["path"] as? String == "cassettes/two.yaml")
        #expect(cassette["asked"] as? Int == 1)
        #expect((cassette["responseSets"] as? [String])?.count == 1)
        #expect((cassette["bodyFiles"] as? [Any])?.isEmpty == true)
    }
}
