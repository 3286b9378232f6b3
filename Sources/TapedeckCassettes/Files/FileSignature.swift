import TapedeckPlatform

/// Detects a changed file without reading it.
package struct FileSignature: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// In bytes.
    let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns the signature of a file or a folder, following links, or `nil` if it does not exist.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the signature of an open file.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        self.device = UInt64(truncatingIfNeeded: status.st_dev)
        self.inode = UInt64(truncatingIfNeeded: status.st_ino)
        self.size = Int(status.st_size)
        #if canImport(Darwin)
        self.seconds = status.st_mtimespec.tv_sec
        self.nanoseconds = status.st_mtimespec.tv_nsec
        #else
        self.seconds = status.st_mtim.tv_sec
        self.nanoseconds = status.st_mtim.tv_nsec
        #endif
    }

    /// When it was written, in seconds since 1970.
    var modified: Int64 { Int64(self.seconds) }

    /// True if the file was written so recently that another write could leave the same time: a file system's clock
    /// ticks some hundred times a second, and on some once in two.
    var isRecent: Bool { self.seconds >= time(nil) - 2 }

    /// Returns the signatures of existing files of `paths`.
    static func all(_ paths: [String]) -> [String: FileSignature] {
        var signatures: [String: FileSignature] = [:]
        for path in paths { signatures[path] = FileSignature(path) }
        return signatures
    }
}
