import TapedeckPlatform

/// The folder that the process runs in.
package enum WorkingFolder {
    /// Returns the path without symbolic links, `.` and `..`; for a missing file, below the working folder.
    package static func canonical(_ path: String) -> String {
        if let pointer = realpath(path, nil) {
            defer { free(pointer) }
            return String(cString: pointer)
        }
        guard !path.hasPrefix("/"), let pointer = realpath(".", nil) else { return path }
        defer { free(pointer) }
        return FilePath.join(String(cString: pointer), path)
    }

    /// Returns the path relative to the working folder, if it is below that.
    package static func shown(_ path: String) -> String {
        let path = self.canonical(path)
        let folder = self.canonical(".") + "/"
        return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
}
