import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// Texts that would take minutes if the work grew with their square.
@Suite struct HostileTextTests {
    private static let size = 100_000

    @Test(
        .timeLimit(.minutes(20)),
        arguments: some(of: [
            "-----BEGIN PRIVATE KEY-----", "Cookie: ", "Cookie: a;a;a;a;", "-eyJ", "\"password\":\"", "password='",
            "<password>", "<input name='", "https://u:", "%25", "\\\\", "\\\"", "\\\\\"", "?token=", "code=",
            "x-api-key:", "Bearer ", "ghs_", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", "QUJD\n", "{{secret.",
        ])
    )
    func `A text of one thing over and over is searched in time that grows with its length`(piece: String) throws {
        let text = String(repeating: piece, count: Self.size / piece.utf8.count)
        let redactor = try redactor()
        let once = try redactor.redacted(text)
        let twice = try redactor.redacted(once)
        #expect(twice == once)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Secrets that repeat themselves are looked for in time that grows with the text`() throws {
        let redactor = try redactor()
        for count in 1...rounds(500) {
            let value = String(repeating: "aB3dE5g1", count: count) + "Z\(count)"
            _ = redactor.vault.placeholder(for: Array(value.utf8), called: "token")
        }
        let text = String(repeating: "aB3dE5g1", count: Self.size / 8)
        #expect(try redactor.redacted(text) == text)
        let known = "aB3dE5g1aB3dE5g1Z2"
        #expect(try redactor.redacted("/\(known)/").hasPrefix("/{{secret.token#2"))
    }

    @Test(.timeLimit(.minutes(20)))
    func `Codings within codings are searched up to a limit, and the exchange is refused beyond`() throws {
        let piece = "cGFzc3dvcmQ9aHVudGVyMjM0NQ/%41%22\\u0041\\\\u0041%2541"
        let text = String(repeating: piece, count: rounds(150_000) / piece.utf8.count)
        do {
            let redacted = try redactor().redacted(text)
            #expect(!redacted.contains("cGFzc3dvcmQ9aHVudGVyMjM0NQ"))
        } catch let failure as RedactionFailure {
            #expect(failure.reason == .codings)
        }
    }

    @Test(.long, arguments: ["", " ", "é"])
    func `A long secret is redacted to its end`(end: String) throws {
        let value = String(repeating: "aB3dE5gH7jK9", count: 5_000)
        let redactor = try redactor()
        for (text, before) in [
            ("?token=\(value)\(end)", "?token="), ("secret=\(value)", "secret="),
            ("X-Api-Key: \(value)", "X-Api-Key: "), ("password: \(value)", "password: "),
            ("https://user:\(value)@host/", "https://user:"), ("\"token\": \"\(value)\"", "\"token\": \""),
        ] {
            let redacted = try redactor.redacted(text)
            #expect(redacted.hasPrefix(before + "{{secret."))
            #expect(!redacted.contains("aB3dE5gH7jK9"), "\(before)")
        }
    }
}
