import Foundation
import TestShare
import Testing

/// Recordings, refreshes, saves and take-ups that `kill -9` ends at any moment.
@Suite(.ownThreads) struct KillRoundTests {
    /// `kill_rounds.py`, which anyone can run for longer: `kill_rounds.py .build/debug/tapedeck --rounds 100`.
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("kill_rounds.py").path

    @Test func `kill -9 at any time loses, tears and leaves nothing`() throws {
        let folder = try TestFolder()
        let count = rounds(12)
        let result = try folder.run(["python3", Self.script, Tapedeck.path, "--rounds", "\(count)"])
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.hasPrefix("\(count) rounds, "), "\(result.outputText)")
    }
}
