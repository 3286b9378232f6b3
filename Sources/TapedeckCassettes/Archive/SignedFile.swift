import TapedeckPlatform

/// A file that is read from front to back and must be the one that was looked at before.
final class SignedFile: Sendable {
    /// The size of one read, in bytes. 256 KiB.
    private static let pieceSize = 256 << 10

    private let file: FileDescriptor
    private let signature: FileSignature
    private let name: String

    /// - Parameter name: of the cassette that it is a part of.
    /// - Throws: `FileError`, ``ArchiveError`` if the file has changed.
    init(_ path: String, _ signature: FileSignature, of name: String) throws {
        do {
            self.file = try FileDescriptor(path, O_RDONLY | O_NOFOLLOW, action: "read")
        } catch let error as FileError where error.isMissing {
            throw ArchiveError.changing(name)
        } catch let error as FileError where error.code == ELOOP {
            throw ArchiveError("\(path) is a symbolic link; put the file itself there to have it in an archive")
        }
        self.signature = signature
        self.name = name
        try self.check()
    }

    /// The next bytes; `nil` at the end.
    func read() throws -> [UInt8]? {
        let piece = try self.file.read(upTo: Self.pieceSize)
        // A write in the meantime shows in the file's time.
        try self.check()
        return piece.isEmpty ? nil : piece
    }

    private func check() throws {
        guard FileSignature(of: self.file.number) == self.signature else { throw ArchiveError.changing(self.name) }
    }
}
