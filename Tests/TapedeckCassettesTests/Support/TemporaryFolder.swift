import TapedeckCassettes
import TapedeckCore
import TestShare
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder of a test's own, gone when the test is.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("\(testRunFolder)/tapedeck-tests.XXXXXX".utf8CString)
        self.path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        Self.remove(self.path)
    }

    private static func remove(_ folder: String) {
        for name in FileContents.names(in: folder) {
            let path = FilePath.join(folder, name)
            if FileContents.size(path) == nil { self.remove(path) }
        }
        FileContents.removeFolder(folder)
    }

    func path(_ name: String) -> String {
        FilePath.join(self.path, name)
    }

    func write(_ text: String, to name: String) throws {
        try self.write(Array(text.utf8), to: name)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try FileContents.makeFolder(FilePath.folder(of: self.path(name)))
        try FileContents.replace(self.path(name), with: bytes)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try FileContents.read(self.path(name))
    }

    func text(_ name: String) throws -> String {
        try #require(String(validating: try self.bytes(name), as: UTF8.self))
    }
}

/// Replaces SHA-256, which belongs to another target: 64 digits that differ if the bytes do.
enum TestDigest {
    static let digest: Digest = { bytes in
        (0..<4).map { seed in
            let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325) &+ UInt64(seed)) { hash, byte in
                (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
