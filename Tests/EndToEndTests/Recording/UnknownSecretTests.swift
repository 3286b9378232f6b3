import Foundation
import TapedeckCore
import TestShare
import Testing

/// Words in a recording that look like secrets and that no rule knows.
@Suite(.ownThreads) struct UnknownSecretTests {
    /// 40 letters and digits.
    private static func word(seed: UInt64) -> String {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
        // Three kinds in turn, so that no draw looks like a name.
        return (0..<40).map { place in
            let kind = alphabet.filter { [$0.isUppercase, $0.isLowercase, $0.isNumber][place % 3] }
            return String(kind.randomElement(using: &random)!)
        }.joined()
    }

    private static func ask(_ origin: Origin, _ word: String) -> [String] {
        [
            "--", "curl", "-sS", "--data", "note: \(word) is the one", "-H", "Content-Type: text/plain",
            origin.url("/echo"),
        ]
    }

    @Test(arguments: seeds(1)) func `The summary counts unknown secrets, and scan lists them`(seed: UInt64) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let word = Self.word(seed: seed)
        let recorded = try folder.tapedeck(["record", "x", "--loopback"] + Self.ask(origin, word))
        #expect(recorded.exitCode == 0)
        let line = "1 word looks like a secret that no rule knows; tapedeck scan x lists them"
        #expect(recorded.errorText.contains(line), "\(recorded.errorText)")
        #expect(!recorded.errorText.contains(word))
        let scan = try folder.tapedeck("scan", "x")
        #expect(scan.exitCode == 1)
        #expect(scan.outputText.contains("looks like a secret: 40 characters drawn at random"), "\(scan.outputText)")
    }

    @Test(arguments: seeds(1))
    func `With --strict such a recording is not written until a rule covers it`(seed: UInt64) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let word = Self.word(seed: seed)
        let refused = try folder.tapedeck(["record", "x", "--loopback", "--strict"] + Self.ask(origin, word))
        #expect(refused.exitCode == 65, "\(refused.errorText)")
        #expect(refused.errorText.contains("1 word looks like a secret that no rule knows"), "\(refused.errorText)")
        #expect(refused.errorText.contains("/echo: request body, 40 characters"), "\(refused.errorText)")
        #expect(!refused.errorText.contains(word))
        #expect(!folder.exists("cassettes/x.yaml"))

        // The next start refuses it again, before it runs the command.
        let again = try folder.tapedeck(["append", "x", "--loopback", "--strict"] + Self.ask(origin, word))
        #expect(again.exitCode == 65, "\(again.errorText)")
        #expect(try origin.requests().count == 1)

        try folder.write("redact: { rules: [{ pattern: 'note: (\\w+)', name: note }] }\n", to: "tapedeck.yaml")
        let replayed = try folder.tapedeck(["replay", "x"] + Self.ask(origin, word))
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("{{secret.note}}"), "\(text)")
        #expect(!text.contains(word))
    }

    @Test func `Ordinary recordings contain none`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let urls = ["/json", "/echo-headers?page=2", "/binary?size=3000"].map { origin.url($0) }
        let result = try folder.tapedeck(
            ["record", "x", "--loopback", "--strict", "--", "curl", "-sS"] + urls + ["-o", "/dev/null"]
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(!result.errorText.contains("no rule knows"))
    }
}
