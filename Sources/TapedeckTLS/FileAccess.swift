import TapedeckPlatform

/// File operations of this target, which does not use Foundation. All of them block.
enum FileAccess {
    /// Larger than any bundle of certificates (Debian's has 0.2 MB).
    private static let largestFile = 16 << 20

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The bytes of a regular file.
    ///
    /// - Parameter privately: refuses a file that others than its owner may read or write.
    static func read(
        _ path: String,
        privately: Bool,
        failure code: TLSError.Code = .authorityUnreadable
    ) throws -> [UInt8] {
        // O_NONBLOCK: opening a FIFO would wait for a writer for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw self.failure("cannot open \(path)", code)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TLSError(code, "\(path) is not a file")
        }
        if privately, status.st_uid != geteuid(), status.st_uid != 0 {
            throw TLSError(
                .authorityPermissions,
                "\(path) belongs to another user (\(status.st_uid)), and whoever has it can impersonate any site to clients "
                    + "that trust this CA; run: chown \(geteuid()) \(path)"
            )
        }
        if privately, status.st_mode & 0o077 != 0 {
            throw TLSError(
                .authorityPermissions,
                "\(path) can be read or written by others (mode 0\(String(status.st_mode & 0o777, radix: 8))), and "
                    + "whoever has it can impersonate any site to clients that trust this CA; run: chmod 600 \(path)"
            )
        }
        guard status.st_size <= self.largestFile else {
            throw TLSError(code, "\(path) is too large (\(status.st_size) bytes) to hold keys or certificates")
        }
        return try self.readAll(descriptor, path, code)
    }

    private static func readAll(_ descriptor: Int32, _ path: String, _ code: TLSError.Code) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= self.largestFile {
            let count = systemRead(descriptor, &chunk, chunk.count)
            if count == 0 {
                break
            } else if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
            } else if errno != EINTR {
                throw self.failure("cannot read \(path)", code)
            }
        }
        return bytes
    }

    /// Refuses a folder in which others could put a key of theirs: one that another user owns, or that others may write.
    /// Root may own it, who can do everything anyway. A folder that is not there passes.
    static func checkOwnership(of directory: String) throws {
        var status = stat()
        guard stat(directory, &status) == 0 else { return }
        let user = geteuid()
        guard status.st_uid == user || status.st_uid == 0 else {
            throw TLSError(
                .authorityPermissions,
                "the folder \(directory) of the certificate authority belongs to another user (\(status.st_uid)), who could "
                    + "replace the key and impersonate any site to clients that trust this CA; run: chown -R \(user) "
                    + "\(directory), or name another folder with TAPEDECK_CA_DIR"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw TLSError(
                .authorityPermissions,
                "the folder \(directory) of the certificate authority can be written by others (mode "
                    + "0\(String(status.st_mode & 0o7777, radix: 8))), who could replace the key and impersonate any site "
                    + "to clients that trust this CA; run: chmod go-w \(directory)"
            )
        }
    }

    /// Creates `path` and every missing parent with mode 0700.
    static func makeDirectories(_ path: String) throws {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            prefix += component
            // The parents of an existing directory may well refuse a mkdir with another error.
            if mkdir(prefix, 0o700) != 0, !self.isDirectory(prefix) {
                throw self.failure("cannot create the directory \(prefix)", .authorityUnreadable)
            }
            prefix += "/"
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        let code = errno
        defer { errno = code }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Runs `body` while this process and this call alone hold an exclusive lock on the file `path`.
    static func withLock<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw self.failure("cannot open \(path)", .authorityUnreadable)
        }
        // Closing gives the lock back. The file stays: removing it would let two holders in.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw self.failure("cannot lock \(path)", .authorityUnreadable)
            }
        }
        return try body()
    }

    /// Makes `path` appear whole or not at all, with exactly `mode`. Another file of that name is replaced.
    static func writeNew(_ path: String, _ bytes: [UInt8], mode: mode_t) throws {
        let temporary = "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
        // Never readable by other users, whatever the umask.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw self.failure("cannot create \(temporary)", .authorityUnreadable)
        }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        let isComplete =
            written == bytes.count && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
            && rename(temporary, path) == 0
        let error = isComplete ? nil : self.failure("cannot write \(path)", .authorityUnreadable)
        close(descriptor)
        if let error {
            unlink(temporary)
            throw error
        }
    }

    private static func failure(_ what: String, _ code: TLSError.Code) -> TLSError {
        let number = errno
        return TLSError(code, "\(what): \(String(cString: strerror(number)))")
    }
}

// Outside of the type, within which `read` means the function of that name above.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
