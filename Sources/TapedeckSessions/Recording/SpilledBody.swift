import TapedeckCassettes
import TapedeckTLS

/// A body that goes to a file while it is hashed.
///
/// `@unchecked Sendable`: created on an event loop and handed at once to the recorder's file thread, which is one
/// thread and the only one that ever touches it from then on.
final class SpilledBody: @unchecked Sendable {
    private let writer: BodyFileWriter
    private let hash = SHA256()
    private let disk: RecordingDisk
    private var hasFailed = false

    init(path: String, disk: RecordingDisk) {
        self.writer = BodyFileWriter(path: path)
        self.disk = disk
    }

    /// A file that cannot be written goes at once, as others may need the room. What comes for it then is dropped.
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

    /// Nothing more is written either.
    func discard() {
        self.hasFailed = true
        self.writer.discard()
    }
}
