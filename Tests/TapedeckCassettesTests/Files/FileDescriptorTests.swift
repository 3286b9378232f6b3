import Testing

@testable import TapedeckCassettes

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct FileDescriptorTests {
    @Test func `a lock ends with its file, though a process that is starting has a copy of the descriptor`() throws {
        let folder = try TemporaryFolder()
        func file() throws -> FileDescriptor {
            try FileDescriptor("\(folder.path)/file", O_RDWR | O_CREAT, action: "write")
        }
        var first: FileDescriptor? = try file()
        #expect(first?.lock() == true)
        let copy = dup(try #require(first).number)
        defer { close(copy) }
        #expect(try !file().lock())
        first = nil
        #expect(try file().lock())
    }
}
