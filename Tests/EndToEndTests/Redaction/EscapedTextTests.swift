import Foundation
import Testing

/// Live text that looks like a placeholder comes back as it was, and requests with it match.
@Suite(.ownThreads) struct EscapedTextTests {
    private static let text = #"{"a":"{{secret.access_token}}","b":"{{'secret.b}}","c":"{{secret."}"#

    /// Requests to `/echo` with such text in the body, in a header and in the URL; one also has a secret, and one is
    /// too large for the cassette.
    private static func requests(_ origin: Origin, _ folder: TestFolder) throws -> [[String]] {
        let large = Self.text + String(repeating: "\n", count: 100_000) + Self.text
        try folder.write(large, to: "large.txt")
        try folder.write(Data([0, 1, 2, 0xFF]) + Data(Self.text.utf8) + Data(count: 2_000), to: "binary.bin")
        let secret = #"{"password":"q7Bx2Kd9vLw4ZtM1","hint":"{{secret.password}}"}"#
        return [
            ["-d", Self.text, origin.url("/echo")],
            ["-d", "other", origin.url("/echo")],
            ["-d", secret, origin.url("/echo")],
            ["--data-binary", "@large.txt", origin.url("/echo?large")],
            [
                "--data-binary", "@binary.bin", "-H", "Content-Type: application/octet-stream",
                origin.url("/echo?binary"),
            ],
            ["-g", "-H", "X-Hint: {{secret.x}}", origin.url("/echo-headers?q={{secret.y}}")],
        ]
    }

    @Test func `Bodies, headers and URLs with placeholders of others`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let requests = try Self.requests(origin, folder)
        let script = requests.map { request in
            "curl -sS "
                + request.map { "'" + $0.replacingOccurrences(of: "'", with: #"'\''"#) + "'" }.joined(separator: " ")
        }.joined(separator: " && ")
        let live = try folder.tapedeck(["record", "x", "--", "sh", "-c", script])
        #expect(live.exitCode == 0, "\(live.errorText)")
        #expect(live.outputText.contains("{{secret.x}}"))
        try origin.stop()
        let played = try folder.tapedeck(["replay", "x", "--", "sh", "-c", script])
        #expect(played.exitCode == 0, "\(played.errorText)")
        // Only the password differs.
        let expected = live.outputText.replacingOccurrences(of: "q7Bx2Kd9vLw4ZtM1", with: "")
        let password = try #require(played.outputText.firstMatch(of: /"password":"([A-Za-z0-9]+)"/)?.1)
        #expect(played.outputText.replacingOccurrences(of: password, with: "") == expected)
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains("{{'secret.access_token}}"))
        #expect(tape.contains("{{''secret.b}}"))
        #expect(try folder.tapedeck(["check", "x"]).exitCode == 0)
    }
}
