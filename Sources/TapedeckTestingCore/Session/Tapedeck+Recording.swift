public import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

extension Tapedeck {
    /// The result of a recording.
    public struct Recording: Sendable, CustomStringConvertible {
        /// The cassette as it is now.
        public let cassette: Cassette
        /// Its files by their paths: the cassette's own, and those of large or binary bodies. Empty where the deck has a
        /// disk of its own.
        public let files: [String: Data]
        /// How many exchanges were recorded.
        public let exchanges: Int
        /// True if the cassette changed.
        public let isChanged: Bool
        /// Which response sets and body files were kept, replaced and removed, a line each.
        public let changes: [String]
        /// Why exchanges are not in it, a line each.
        public let leftOut: [String]

        /// The number of exchanges and the changes, for texts.
        public var description: String {
            let count = self.exchanges == 1 ? "1 exchange" : "\(self.exchanges) exchanges"
            let start = "\(count), the cassette \(self.isChanged ? "changed" : "is as before")"
            return ([start] + self.changes + self.leftOut).joined(separator: "\n")
        }
    }

    /// Ends the recording of this session, has the cassette written, and says what was. The session goes on and plays what it
    /// recorded.
    ///
    /// Without it, the recording is saved when the session ends.
    ///
    /// - Throws: ``TapedeckError`` where the session does not record.
    public func finishRecording() async throws -> Recording {
        try await OwnThread.run { try self.finishRecordingBlocking() }
    }

    /// The form without `await`, for tests that are not asynchronous.
    @available(*, noasync)
    public func finishRecording() throws -> Recording {
        try self.finishRecordingBlocking()
    }

    private func finishRecordingBlocking() throws -> Recording {
        let saved = try self.askBlocking { try $0.stopRecording() }
        self.ledger.withLock { $0.hasFinishedRecording = true }
        // Its path is of a folder that goes.
        if self.scratch == nil { RecordingLines.print(saved) }
        for problem in saved.problems ?? [] { TestIssue(.recording, problem, at: self.place).report() }
        let kept = try self.scratch?.keep()
        let path = self.scratch?.path ?? self.recordingPath
        let files = kept ?? path.map { RecordingScratch.files(of: $0) } ?? [:]
        let name = path.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
        return Recording(
            cassette: Cassette(yaml: files[name].map { String(decoding: $0, as: UTF8.self) } ?? ""),
            files: files,
            exchanges: saved.exchanges ?? 0,
            isChanged: saved.changed ?? false,
            // Its first line is the path.
            changes: Array(saved.lines?.dropFirst() ?? []),
            leftOut: saved.leftOut ?? []
        )
    }

    /// The file that is recorded into, where it is on the test's disk.
    private var recordingPath: String? {
        guard self.deck.takesPaths, self.isRecording, let name = self.options.cassettes.first?.name else { return nil }
        let folder = self.options.cassetteFolder(self.mode, at: self.place)
        let path = CassettePath(name, folder: folder)
        return path.existing ?? path.file
    }
}

/// The lines about recordings, for the output of a run of tests.
enum RecordingLines {
    /// Sessions that record one cassette may have the same to say.
    private static let printed = Locked<Set<String>>([])

    /// Prints how much of a recording was saved, and the other lines of it that were not printed yet.
    static func print(_ saved: RecordingModel?) {
        guard let saved, saved.exchanges ?? 0 > 0 || saved.changed == true, let lines = saved.lines, !lines.isEmpty
        else {
            return
        }
        let new = self.printed.withLock { printed in
            lines.filter { printed.insert($0).inserted || $0.hasPrefix("wrote ") }
        }
        FileHandle.standardError.write(Data(new.map { "tapedeck: \($0)\n" }.joined().utf8))
    }
}
