package import TapedeckCassettes
import TapedeckLocking

/// Body files that a session was sent for the sets that are added to it and the answers that held requests get.
extension Session {
    /// How many it keeps, at most.
    private static let fileLimit = 1_000

    /// A file, which counts among those of the deck as long as the session is there.
    struct SentFile: Sendable {
        let bytes: [UInt8]
        let held: SentFiles.Held?
    }

    /// Those it was sent so far.
    package var sentFiles: SessionFiles {
        SessionFiles(lookingUp: self.bodyFiles.withLock { $0.mapValues(\.bytes) })
    }

    /// Keeps a file; one of the same name that it was sent before is replaced.
    ///
    /// - Throws: ``SessionError`` when there are too many.
    func keep(_ file: SentFile, name: String) throws(SessionError) {
        let isKept = self.bodyFiles.withLock { files in
            guard files.count < Self.fileLimit || files[name] != nil else { return false }
            files[name] = file
            return true
        }
        guard isKept else {
            throw SessionError(.limit, "\(Self.fileLimit) files were sent to the session already; end it first")
        }
    }
}
