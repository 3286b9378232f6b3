import TapedeckPlatform

/// Writes a body to a separate file, sequentially. The file is created at the first byte, readable only by its owner:
/// it has not been searched for secrets yet.
package final class BodyFileWriter {
    private let path: String
    private var file: FileDescriptor?
    /// Bytes written so far.
    package private(set) var size = 0

    package init(path: String) {
        self.path = path
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        let file = try self.file ?? FileDescriptor(self.path, flags, mode: 0o600, action: "write")
        self.file = file
        try file.write(bytes)
        self.size += bytes.count
    }

    package func discard() {
        self.file = nil
        _ = unlink(self.path)
    }
}
