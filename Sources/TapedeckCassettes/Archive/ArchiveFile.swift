import TapedeckPlatform

/// An archive that is written to a file, which is there once the archive is whole, and not before. A device or a pipe is
/// written to at once.
package final class ArchiveFile {
    private let path: String
    /// Where it is written until it is whole; `nil` for a device or a pipe.
    private let temporary: String?
    private let file: FileDescriptor
    private var reader = TarReader()
    private var isKept = false

    /// - Throws: `FileError`.
    package init(_ path: String) throws {
        self.path = path
        self.temporary = FileContents.isDeviceOrPipe(path) ? nil : "\(path).\(getpid()).tmp"
        self.file = try FileDescriptor(self.temporary ?? path, O_WRONLY | O_CREAT | O_TRUNC, action: "write")
    }

    deinit {
        if !self.isKept, let temporary { _ = unlink(temporary) }
    }

    /// - Throws: `FileError`; ``ArchiveError`` if it is not an archive.
    package func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            try self.reader.receive(bytes) { _ in }
            try self.file.write(bytes)
        }
    }

    /// The archive is over, and takes its place.
    ///
    /// - Throws: `FileError`; ``ArchiveError`` for one that is not whole.
    package func keep() throws {
        try self.reader.finish()
        guard let temporary else { return }
        try self.file.synchronise()
        try FileContents.move(temporary, to: self.path)
        self.isKept = true
    }
}

@available(*, unavailable)
extension ArchiveFile: Sendable {}
