import Foundation
import Testing

/// Recordings, refreshes, saves and take-ups that `kill -9` ends at any moment.
@Suite struct KillRoundTests {
    /// `kill_rounds.py`, which anyone can run for longer: `kill_rounds.py .build/debug/tapedeck --rounds 100`.
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("kill_rounds.py").path

    @Test func `kill -9 at any time loses, tears and leaves nothing`() throws {
        let folder = try TestFolder()
        let result = try folder.run(["python3", Self.script, Tapedeck.path, "--rounds", "12"])
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.hasPrefix("12 rounds, "), "\(result.outputText)")
    }
}
