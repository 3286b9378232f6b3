package import TapedeckCore
import TapedeckPlatform

/// Reads a body file from front to back.
package final class BodyFileReader: Sendable {
    /// The reason why a body file is not played.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        package var description: String

        /// A body file has another size than when its cassette was loaded.
        package static func size(_ found: Int, of file: BodyFile) -> Problem {
            Problem(
                description: "\(file.path) has \(found) bytes now, and had \(file.size) when its cassette was loaded"
            )
        }

        static func noFile(_ path: String) -> Problem {
            Problem(description: "\(path) is no regular file; put a file with the body in its place")
        }

        static func linkOut(_ path: String) -> Problem {
            Problem(
                description: "\(path) is a link that leads out of the cassette's folder; put the file itself there"
            )
        }
    }

    private let file: FileDescriptor

    /// Opens a file that a user names.
    ///
    /// - Throws: `FileError`.
    package init(path: String) throws {
        self.file = try FileDescriptor(path, O_RDONLY, action: "read")
    }

    /// Opens a body file. Does not wait for the other end of a pipe.
    ///
    /// - Parameters:
    ///   - anySize: true to accept another size than when its cassette was loaded.
    ///   - offset: the first byte to read.
    /// - Throws: ``Problem`` if it is not a regular file, has another size, or is a link out of the cassette's folder;
    ///   `FileError` if it cannot be opened.
    package init(_ body: BodyFile, anySize: Bool = false, from offset: Int = 0) throws {
        guard !body.isLinkOut else { throw Problem.linkOut(body.path) }
        self.file = try FileDescriptor(body.path, O_RDONLY | O_NONBLOCK, action: "read")
        var status = stat()
        guard fstat(self.file.number, &status) == 0 else { throw FileError("read", body.path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Problem.noFile(body.path) }
        guard anySize || Int(status.st_size) == body.size else { throw Problem.size(Int(status.st_size), of: body) }
        guard offset == 0 || lseek(self.file.number, off_t(offset), SEEK_SET) == offset else {
            throw FileError("read", body.path)
        }
    }

    /// The next bytes; none at the end.
    package func read(upTo limit: Int) throws -> [UInt8] {
        try self.file.read(upTo: limit)
    }
}

extension BodyFile {
    /// Reads the file as it is now.
    ///
    /// - Throws: as ``BodyFileReader/init(_:anySize:from:)``.
    package func contents() throws -> [UInt8] {
        let reader = try BodyFileReader(self, anySize: true)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.size + 1)
        while true {
            let piece = try reader.read(upTo: max(4096, self.size - bytes.count + 1))
            if piece.isEmpty { return bytes }
            bytes = bytes.isEmpty ? piece : bytes + piece
        }
    }

    /// True if the file, or a folder between the cassette and it, is a link that leads out of the cassette's folder.
    var isLinkOut: Bool {
        guard self.path.hasSuffix(self.name) else { return true }
        let folder = self.path.dropLast(self.name.count)
        var place = String(folder)
        let hasLink = self.name.split(separator: "/").contains { part in
            place = FilePath.join(place, String(part))
            var status = stat()
            return lstat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        }
        return hasLink && !CassetteName.isWithin(folder.isEmpty ? "." : String(folder), self.path)
    }
}
