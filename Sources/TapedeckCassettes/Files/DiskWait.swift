import CTapedeckDisk
import TapedeckPlatform

/// Waits until files and folders are on the disk, be they few or thousands.
enum DiskWait {
    /// Up to this many files are synchronised one by one: each takes a disk some milliseconds, and the whole file
    /// system takes about as long as some of them.
    private static let few = 16

    /// - Parameters:
    ///   - paths: files and folders of one file system.
    ///   - file: one of that file system, opened before they were written: what goes wrong with them shows in it.
    /// - Throws: `FileError`.
    static func wait(for paths: some Collection<String>, with file: FileDescriptor) throws {
        if paths.count > self.few, try self.waitForAll(file) { return }
        for path in paths { try FileContents.synchronise(path) }
    }

    /// - Returns: whether the system can do that.
    private static func waitForAll(_ file: FileDescriptor) throws -> Bool {
        if tapedeck_sync_file_system(file.number) == 0 { return true }
        guard ![EIO, ENOSPC, EDQUOT].contains(errno) else { throw FileError("write", file.path) }
        return false
    }
}
