#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads a body file from front to back.
package final class BodyFileReader: Sendable {
    /// A body file has another size than when its cassette was loaded.
    package struct SizeChanged: Error, CustomStringConvertible {
        package var path: String
        package var expected: Int
        package var found: Int

        package init(path: String, expected: Int, found: Int) {
            self.path = path
            self.expected = expected
            self.found = found
        }

        package var description: String {
            "\(self.path) has \(self.found) bytes now, and had \(self.expected) when its cassette was loaded"
        }
    }

    private let file: FileDescriptor

    package init(path: String) throws {
        self.file = try FileDescriptor(path, O_RDONLY, action: "read")
    }

    /// The next bytes; none at the end.
    package func read(upTo limit: Int) throws -> [UInt8] {
        try self.file.read(upTo: limit)
    }
}
