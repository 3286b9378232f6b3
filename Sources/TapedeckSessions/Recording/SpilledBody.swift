import TapedeckCassettes
import TapedeckTLS

/// A body that goes to a file while it is hashed.
// Proof of @unchecked Sendable: an event loop creates it and hands it at once to the recorder's file thread, which is one
// thread and the only one that uses it from then on.
final class SpilledBody: @unchecked Sendable {
    private let writer: BodyFileWriter
    private let hash = SHA256()
    private let disk: RecordingDisk
    private var hasFailed = false

    init(path: String, disk: RecordingDisk) {
        self.writer = BodyFileWriter(path: path)
        self.disk = disk
    }

    /// Writes bytes. A file that cannot be written is removed at once, because others may need the space; later bytes
    /// for it are dropped.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard !self.hasFailed else { return }
        do {
            if self.disk.isCheckDue { try self.disk.checkRoom() }
            try self.writer.write(bytes)
            self.hash.update(bytes)
        } catch {
            self.discard()
            throw error
        }
    }

    func finish() -> (size: Int, sha256: String) {
        (self.writer.size, self.hash.finalizeHex())
    }

    /// Discards the file, and writes no more.
    func discard() {
        self.hasFailed = true
        self.writer.discard()
    }
}
