import TapedeckCassettes
import TapedeckTLS

/// A body that goes to a file while it is hashed.
///
/// `@unchecked Sendable`: created on an event loop and handed at once to the recorder's file thread, which is one
/// thread and the only one that ever touches it from then on.
final class SpilledBody: @unchecked Sendable {
    private let writer: BodyFileWriter
    private let hash = SHA256()

    init(path: String) {
        self.writer = BodyFileWriter(path: path)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try self.writer.write(bytes)
        self.hash.update(bytes)
    }

    func finish() -> (size: Int, sha256: String) {
        (self.writer.size, self.hash.finalizeHex())
    }

    func discard() {
        self.writer.discard()
    }
}
