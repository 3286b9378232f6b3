import TapedeckLocking
import TapedeckPlatform

/// The place where an archive is unpacked before it is installed: a hidden folder among the cassettes, so that files
/// can be moved by renaming. It is removed with this value; the next one removes leftovers of a crash.
package final class ArchiveStage: Sendable {
    /// A file that has been unpacked.
    struct File: Sendable {
        /// In the archive.
        var path: String
        /// The current path.
        var place: String
        var content: CassetteVersion.File
        var precondition: String?
    }

    private static let prefix = ".tapedeck-incoming-"

    let folder: String
    /// The unpacked files, as a folder of cassettes.
    package var unpacked: ArchiveFolder { ArchiveFolder(FilePath.join(self.folder, "files")) }
    let hashing: ContentHashing
    private let lock: FileDescriptor
    private let unpacking: Locked<ArchiveUnpacking>

    /// - Throws: `FileError` when nothing can be written there.
    package init(
        in folder: ArchiveFolder,
        limits: ArchiveLimits = ArchiveLimits(),
        hashing: @escaping ContentHashing
    ) throws {
        try FileContents.makeFolder(folder.path)
        Self.removeLeftovers(in: folder.path)
        (self.folder, self.lock) = try Self.makeFolder(in: folder.path)
        self.hashing = hashing
        self.unpacking = Locked(
            ArchiveUnpacking(into: FilePath.join(self.folder, "files"), limits: limits, hashing: hashing)
        )
    }

    /// Makes the folder, with the lock that tells it from one that a crash left.
    private static func makeFolder(in folder: String) throws -> (path: String, lock: FileDescriptor) {
        while true {
            var template = Array(FilePath.join(folder, "\(self.prefix)XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else { throw FileError("write into", folder) }
            let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            let file: FileDescriptor
            do {
                file = try FileDescriptor(FilePath.join(path, "lock"), O_RDWR | O_CREAT, mode: 0o600, action: "write")
            } catch {
                self.remove(path)
                throw error
            }
            let isLocked = file.lock()
            guard isLocked || errno == EWOULDBLOCK else {
                let error = FileError("lock", file.path)
                self.remove(path)
                throw error
            }
            if isLocked, FileContents.exists(file.path) { return (path, file) }
            // Another stage, made at the same time, came in between, took it for a leftover, and removes it.
        }
    }

    deinit {
        self.discard()
    }

    /// Unpacks the next bytes of the archive.
    ///
    /// - Throws: ``ArchiveError``, `FileError`. The archive cannot be used any more then.
    package func receive(_ bytes: [UInt8]) throws {
        try self.unpacking.withLock { try $0.receive(bytes) }
    }

    /// Ends the archive and returns its contents.
    ///
    /// - Throws: ``ArchiveError``, `FileError`.
    package func finish() throws -> ArchiveContents {
        let files = try self.unpacking.withLock { unpacking in try unpacking.finish() }
        let contents = try ArchiveContents(files, of: self)
        // Before any counts for anything, so that not even a power cut leaves half of one in its place.
        try DiskWait.wait(for: files.map(\.place), with: self.lock)
        return contents
    }

    /// Removes what has been unpacked, which would go with this value else: where waiting for a disk does no harm.
    package func discard() {
        // Close open files first.
        self.unpacking.withLock { $0.close() }
        Self.remove(self.folder)
    }

    // MARK: Removing

    private static func removeLeftovers(in folder: String) {
        for name in FileContents.names(in: folder) where name.hasPrefix(self.prefix) {
            let path = FilePath.join(folder, name)
            // In folders that others may write, such as /tmp, it may be anything.
            guard self.isOwnFolder(path) else { continue }
            let lock = try? FileDescriptor(FilePath.join(path, "lock"), O_RDONLY, action: "read")
            // Without a lock it is one that is being made, or that is being removed.
            guard let lock, lock.lock() else { continue }
            self.remove(path)
        }
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    private static func remove(_ path: String) {
        for name in FileContents.names(in: path) {
            let entry = FilePath.join(path, name)
            if unlink(entry) != 0 { self.remove(entry) }
        }
        _ = rmdir(path)
    }
}
