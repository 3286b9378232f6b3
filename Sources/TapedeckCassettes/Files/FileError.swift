import TapedeckPlatform

/// A file that could not be read or written: what was tried, on which path, and what the system said.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    package var action: String
    package var path: String
    package var code: Int32

    /// Takes the reason from `errno`, so it is to be made right after the call that failed.
    package init(_ action: String, _ path: String, code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// Whether there is no such file.
    package var isMissing: Bool { self.code == ENOENT || self.code == ENOTDIR }

    /// Whether there is no room for it: the disk is full, or the user's quota is used up.
    package var isFull: Bool { self.code == ENOSPC || self.code == EDQUOT }

    /// Whether it may not be written.
    package var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(self.code) }

    package var description: String {
        "cannot \(self.action) \(self.path): \(String(cString: strerror(self.code)))"
    }
}
