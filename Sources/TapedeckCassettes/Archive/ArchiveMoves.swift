import TapedeckPlatform

/// Files that take the places of others, one after the other, and can be taken back.
struct ArchiveMoves {
    /// Where what was there is kept until it is certain that it goes.
    private let keep: String
    private var done: [(place: String, kept: String?)] = []

    /// - Parameter stage: a path on the same file system, which names ones beside it.
    init(stage: String) {
        self.keep = stage
    }

    /// Has the file at `source` take the place `place`, at one moment.
    ///
    /// - Throws: `FileError`. What was moved before is still to be taken back.
    mutating func move(_ source: String, to place: String) throws {
        try FileContents.makeFolder(FilePath.folder(of: place))
        try FileContents.share(source)
        var kept: String?
        var status = stat()
        if lstat(place, &status) == 0 {
            let name = "\(self.keep).\(self.done.count).kept"
            guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError("write", place, code: EISDIR) }
            // Both names lead to it until the new file has one of them, so there is no moment without it.
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
