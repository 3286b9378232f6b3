import TapedeckCore
import Testing

@testable import TapedeckRedaction

/// Texts that would take minutes if the work grew with their square.
@Suite struct HostileTextTests {
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "-----BEGIN PRIVATE KEY-----", "Cookie: ", "-eyJ", "\"password\":\"", "password='", "<password>", "https://u:",
            "%25", "\\\\", "\\\"", "?token=", "Bearer ", "ghs_", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", "{{secret.",
        ]
    )
    func `A text of one thing over and over is searched in time that grows with its length`(piece: String) throws {
        let text = String(repeating: piece, count: 200_000 / piece.utf8.count)
        let redactor = try redactor()
        let once = try redactor.redacted(text)
        #expect(try redactor.redacted(once) == once)
    }
}
