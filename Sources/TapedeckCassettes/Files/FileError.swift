import TapedeckPlatform

/// A file that could not be read or written: the action, the path, and the system's error.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    package var action: String
    package var path: String
    package var code: Int32

    /// Reads the reason from `errno`, so create it directly after the failed call.
    package init(_ action: String, _ path: String, code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// True if the file does not exist.
    package var isMissing: Bool { self.code == ENOENT || self.code == ENOTDIR }

    /// True if there is no room for it: the disk is full, or the user's quota is used up.
    package var isFull: Bool { self.code == ENOSPC || self.code == EDQUOT }

    /// True if writing is not permitted.
    package var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(self.code) }

    package var description: String {
        "cannot \(self.action) \(self.path): \(String(cString: strerror(self.code)))"
    }
}
