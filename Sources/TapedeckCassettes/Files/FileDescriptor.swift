import CTapedeckDisk
import Synchronization
import TapedeckPlatform

/// An open file that closes itself.
final class FileDescriptor: Sendable {
    let number: Int32
    let path: String
    private let isLocked = Atomic(false)

    init(_ path: String, _ flags: Int32, mode: mode_t = 0o644, action: String) throws {
        let number = Self.retrying { open(path, flags | O_CLOEXEC, mode) }
        guard number >= 0 else { throw FileError(action, path) }
        self.number = number
        self.path = path
    }

    deinit {
        // Closing is not enough: a child process that starts at this moment has a copy of the descriptor, and with it the
        // lock, until it becomes another program.
        if self.isLocked.load(ordering: .relaxed) { _ = flock(self.number, LOCK_UN) }
        _ = close(self.number)
    }

    /// Locks the file for as long as this value lives (`flock(2)`). Does not wait.
    ///
    /// - Returns: false with `errno` if that fails; `EWOULDBLOCK` means that another holds the lock.
    func lock() -> Bool {
        guard flock(self.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        self.isLocked.store(true, ordering: .relaxed)
        return true
    }

    /// Locks the file as ``lock()`` does, and waits for it.
    ///
    /// - Returns: false if the file system has no locks.
    func waitForLock() -> Bool {
        guard Self.retrying({ flock(self.number, LOCK_EX) }) == 0 else { return false }
        self.isLocked.store(true, ordering: .relaxed)
        return true
    }

    /// Reads at most `limit` bytes; none at the end of the file.
    func read(upTo limit: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let result = Self.retrying { systemRead(self.number, buffer.baseAddress, limit) }
            guard result >= 0 else { throw FileError("read", self.path) }
            count = result
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let written = Self.retrying { systemWrite(self.number, rest.baseAddress, rest.count) }
            guard written >= 0 else { throw FileError("write", self.path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Waits until the bytes are on the disk.
    func synchronise() throws {
        guard tapedeck_sync_file(self.number) == 0 else { throw FileError("write", self.path) }
    }

    /// Makes a part of the file, with room on the disk for all of it: memory that is mapped to it can be written then.
    func allocate(_ size: Int, from start: Int) throws {
        let code = tapedeck_allocate(self.number, off_t(start), off_t(size))
        guard code == 0 else { throw FileError("write", self.path, code: code) }
    }

    var size: Int {
        get throws {
            var status = stat()
            guard fstat(self.number, &status) == 0 else { throw FileError("read", self.path) }
            return Int(status.st_size)
        }
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// The methods above hide the system's functions of the same name.
private func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, bytes, count)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, bytes, count)
}
