import TapedeckPlatform

/// Files that take the places of others, one after the other, and can be taken back.
struct ArchiveMoves {
    /// The place of the old files until their removal is certain.
    private let keep: String
    private var done: [(place: String, kept: String?)] = []

    /// - Parameter stage: a path on the same file system, next to which temporary ones are created.
    init(stage: String) {
        self.keep = stage
    }

    /// Moves the file at `source` to `place` atomically.
    ///
    /// - Throws: `FileError`. Earlier moves must still be undone.
    mutating func move(_ source: String, to place: String) throws {
        try FileContents.makeFolder(FilePath.folder(of: place))
        try FileContents.share(source)
        var kept: String?
        var status = stat()
        if lstat(place, &status) == 0 {
            let name = "\(self.keep).\(self.done.count).kept"
            guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError("write", place, code: EISDIR) }
            // Both names lead to it until the new file has one of them, so it never disappears.
            guard link(place, name) == 0 else { throw FileError("write", place) }
            kept = name
        }
        try FileContents.move(source, to: place)
        self.done.append((place, kept))
    }

    /// Puts everything back as it was.
    mutating func undo() {
        for (place, kept) in self.done.reversed() {
            if let kept { _ = rename(kept, place) } else { _ = unlink(place) }
        }
        self.done = []
    }
}
