import TapedeckPlatform

/// What tells that a file is another one than before, without reading it.
struct FileSignature: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// In bytes.
    let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Of a file or a folder, links followed; `nil` when there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of an open file.
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

    /// Whether the file was written so lately that it can be written again without another time: a file system's clock
    /// ticks some hundred times a second, and on some once in two.
    var isRecent: Bool { self.seconds >= time(nil) - 2 }

    /// Of those of `paths` that are there.
    static func all(_ paths: [String]) -> [String: FileSignature] {
        var signatures: [String: FileSignature] = [:]
        for path in paths { signatures[path] = FileSignature(path) }
        return signatures
    }
}
