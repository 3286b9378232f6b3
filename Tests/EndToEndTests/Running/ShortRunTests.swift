import Foundation
import TestShare
import Testing

/// A deck that runs for a moment ends without a message from its libraries.
@Suite(.ownThreads) struct ShortRunTests {
    /// `short_runs.py`, which anyone can run more often: `short_runs.py .build/debug/tapedeck --runs 3000`.
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("short_runs.py").path

    @Test func `short runs print only their own lines`() throws {
        let folder = try TestFolder()
        let runs = rounds(36)
        let result = try folder.run(["python3", Self.script, Tapedeck.path, "--runs", "\(runs)"])
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.hasPrefix("\(runs) runs, 0 "), "\(result.outputText)")
    }
}
