import TapedeckPlatform

/// Whole files, folders and names. Every call may wait for a disk: none belongs on an event loop.
package enum FileContents {
    package static func read(_ path: String) throws -> [UInt8] {
        let file = try FileDescriptor(path, O_RDONLY, action: "read")
        let size = try file.size
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 1)
        while true {
            let piece = try file.read(upTo: max(4096, size - bytes.count + 1))
            if piece.isEmpty { return bytes }
            bytes = bytes.isEmpty ? piece : bytes + piece
        }
    }

    /// Replaces the file at `path` by `bytes`, whole or not at all: writes a temporary file in its folder and renames
    /// it. ``TemporaryFile/removeAbandoned(of:in:)`` removes what a kill leaves. A file keeps its mode, and a symbolic link
    /// leads to the new file. A device or a pipe (`/dev/null`, `/dev/stdout`) is written to and stays what it is.
    ///
    /// - Parameter waitsForDisk: true to return only when even a power cut cannot undo it.
    package static func replace(_ path: String, with bytes: [UInt8], waitsForDisk: Bool = true) throws {
        if self.isDeviceOrPipe(path) {
            let file = try FileDescriptor(path, O_WRONLY, action: "write")
            return try bytes.withUnsafeBytes { try file.write($0) }
        }
        let path = self.isLink(path) ? self.target(of: path) ?? path : path
        let temporary = try TemporaryFile(beside: path)
        do {
            try bytes.withUnsafeBytes { try temporary.file.write($0) }
            var old = stat()
            if stat(path, &old) == 0 { _ = fchmod(temporary.file.number, old.st_mode & 0o7777) }
            if waitsForDisk { try temporary.file.synchronise() }
            try self.move(temporary.file.path, to: path)
        } catch {
            _ = unlink(temporary.file.path)
            // The file that the user knows.
            throw (error as? FileError).map { FileError($0.action, path, code: $0.code) } ?? error
        }
        if waitsForDisk { self.synchroniseFolder(of: path) }
    }

    /// True if two paths lead to one file that exists.
    package static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (left, right) = (stat(), stat())
        guard stat(one, &left) == 0, stat(other, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    /// The YAML files of a folder and of those in it, in the order of their names; journals are left out.
    package static func cassettes(below folder: String) -> [String] {
        self.names(in: folder).flatMap { name -> [String] in
            let path = FilePath.join(folder, name)
            if self.isFolder(path) { return name.hasSuffix(".journal") ? [] : self.cassettes(below: path) }
            return FilePath.withoutYAMLEnding(name) == name ? [] : [path]
        }
    }

    /// True for what is written to, and never replaced.
    static func isDeviceOrPipe(_ path: String) -> Bool {
        var file = stat()
        guard stat(path, &file) == 0 else { return false }
        return file.st_mode & S_IFMT != S_IFREG && file.st_mode & S_IFMT != S_IFDIR
    }

    /// Renames a temporary file to its final path; see ``replace(_:with:waitsForDisk:)``.
    static func put(_ temporary: TemporaryFile, in path: String) throws {
        do {
            try temporary.file.synchronise()
        } catch let error as FileError {
            // The file that the user knows.
            throw FileError(error.action, path, code: error.code)
        }
        try self.move(temporary.file.path, to: path)
        self.synchroniseFolder(of: path)
    }

    /// A rename lasts once the folder is written.
    private static func synchroniseFolder(of path: String) {
        let folder = FilePath.folder(of: path)
        try? FileDescriptor(folder, O_RDONLY | O_DIRECTORY, action: "write").synchronise()
    }

    package static func move(_ source: String, to destination: String) throws {
        guard rename(source, destination) == 0 else { throw FileError("write", destination) }
    }

    /// Waits until what was written to a file is on the disk.
    static func synchronise(_ path: String) throws {
        try FileDescriptor(path, O_RDONLY, action: "write").synchronise()
    }

    /// The umask of this process. It can be asked for only by changing it, so that is done once: of two threads that did it
    /// at the same time, one would leave the other's 0 in place.
    private static let mask: mode_t = {
        let mask = umask(0)
        _ = umask(mask)
        return mask
    }()

    /// Lets others read a file that only its owner could, as far as the user's umask has it.
    package static func share(_ path: String) throws {
        guard chmod(path, 0o666 & ~self.mask) == 0 else { throw FileError("write", path) }
    }

    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
    }

    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    package static func isWritable(_ path: String) -> Bool {
        access(path, W_OK) == 0
    }

    /// Returns the size of a regular file in bytes, or `nil`.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Returns the number of bytes that this process may still write to the file system of `path`, or `nil` if unknown.
    package static func freeSpace(_ path: String) -> Int? {
        var status = statvfs()
        // Some file systems have no size.
        guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? nil : Int(clamping: bytes)
    }

    /// Returns the file that a symbolic link leads to; `nil` if there is none.
    private static func target(of path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    /// Returns true if a symbolic link is at `path`.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes the folder and those above it.
    package static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws {
        if path.isEmpty || self.exists(path) { return }
        try self.makeFolder(FilePath.folder(of: path))
        guard mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else { throw FileError("make the folder", path) }
    }

    /// The names in a folder, sorted; none when it does not exist.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a folder with the files in it; folders within stay, and so does it then.
    package static func removeFolder(_ path: String) {
        for name in self.names(in: path) { _ = unlink(FilePath.join(path, name)) }
        _ = rmdir(path)
    }

    /// Removes a folder with all that is in it. A link is removed and not followed.
    package static func removeTree(_ path: String) {
        for name in self.names(in: path) {
            let inner = FilePath.join(path, name)
            if self.isFolder(inner), !self.isLink(inner) { self.removeTree(inner) } else { _ = unlink(inner) }
        }
        _ = rmdir(path)
    }
}

/// Paths as text.
package enum FilePath {
    package static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || name.hasPrefix("/") ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The folder that `path` is in; `.` when it names none.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// `path` without its `.yaml` or `.yml`.
    package static func withoutYAMLEnding(_ path: String) -> String {
        for ending in [".yaml", ".yml"] where path.hasSuffix(ending) && path.count > ending.count {
            return String(path.dropLast(ending.count))
        }
        return path
    }
}
