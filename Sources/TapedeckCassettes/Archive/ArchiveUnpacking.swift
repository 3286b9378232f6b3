import TapedeckPlatform

/// Unpacks an archive as it comes, file by file, each into a place that its path names within the folder.
struct ArchiveUnpacking {
    /// The file that is being written.
    private struct Open {
        var file: FileDescriptor
        var path: ArchivePath
        var entry: TarEntry
        var hash: any ContentHash
    }

    private let folder: String
    private let limits: ArchiveLimits
    private let hashing: ContentHashing
    private var reader = TarReader()
    private var size = 0
    private var entries = 0
    private var open: Open?
    private var files: [ArchiveStage.File] = []
    /// The spelling of each file and folder, by its name without regard to case.
    private var spellings: [String: String] = [:]
    private var folders: Set<String> = []

    init(into folder: String, limits: ArchiveLimits, hashing: @escaping ContentHashing) {
        self.folder = folder
        self.limits = limits
        self.hashing = hashing
    }

    mutating func receive(_ bytes: [UInt8]) throws {
        self.size += bytes.count
        guard self.size <= self.limits.size else {
            throw ArchiveError(
                "the archive has more than \(self.limits.size) bytes; send fewer cassettes at a time",
                kind: .tooLarge
            )
        }
        // The reader calls back into this value, so it is not in it meanwhile.
        var reader = self.reader
        self.reader = TarReader()
        defer { self.reader = reader }
        try bytes.withUnsafeBytes { bytes in
            try reader.receive(bytes) { event in
                switch event {
                case .entry(let entry): try self.begin(entry)
                case .content(let bytes): try self.write(bytes)
                case .endOfEntry: try self.end()
                }
            }
        }
    }

    mutating func finish() throws -> [ArchiveStage.File] {
        try self.reader.finish()
        return self.files
    }

    mutating func close() {
        self.open = nil
    }

    private mutating func begin(_ entry: TarEntry) throws {
        self.entries += 1
        guard self.entries <= self.limits.entries else {
            throw ArchiveError("the archive has more than \(self.limits.entries) files and folders", kind: .tooLarge)
        }
        let path = try ArchivePath(entry.path)
        guard !entry.isFolder else { return try self.spell(path.text) }
        guard !path.text.isEmpty else { throw TarHeader.damaged }
        // Files that macOS creates next to others, and Tapedeck's own notes.
        guard !path.name.hasPrefix("._"), !path.text.hasPrefix("\(SyncedVersions.folderName)/") else { return }
        guard !path.isApart else {
            throw ArchiveError(
                "\(path.text) is no part of a cassette: it is hidden or belongs to a recording; leave it out of the archive"
            )
        }
        guard entry.size <= self.limits.size else {
            throw ArchiveError("\(path.text) has \(entry.size) bytes, more than are taken", kind: .tooLarge)
        }
        try self.spell(path.text)
        let place = FilePath.join(self.folder, path.text)
        do {
            let parent = FilePath.folder(of: place)
            if self.folders.insert(parent).inserted { try FileContents.makeFolder(parent, mode: 0o700) }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            let file = try FileDescriptor(place, flags, mode: 0o600, action: "write")
            self.open = Open(file: file, path: path, entry: entry, hash: self.hashing())
        } catch let error as FileError where [EEXIST, ENOTDIR, EISDIR].contains(error.code) {
            throw ArchiveError("\(path.text) is in the archive twice, or is a file and a folder")
        }
    }

    /// Notes a path and the folders above it.
    private mutating func spell(_ path: String) throws(ArchiveError) {
        var path = path
        while path != ".", !path.isEmpty {
            guard let other = self.spellings.updateValue(path, forKey: ArchivePath.folded(path)) else {
                path = FilePath.folder(of: path)
                continue
            }
            // The folders of a known path are known.
            guard other.utf8.elementsEqual(path.utf8) else {
                throw ArchiveError("\(other) and \(path) are one file on some machines; rename one")
            }
            return
        }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let open = self.open else { return }
        try open.file.write(bytes)
        open.hash.update(bytes)
    }

    private mutating func end() throws {
        guard let open = self.open else { return }
        self.open = nil
        let time = timespec(tv_sec: time_t(open.entry.modified), tv_nsec: 0)
        guard futimens(open.file.number, [time, time]) == 0 else { throw FileError("write", open.file.path) }
        let content = CassetteVersion.File(
            sha256: open.hash.finalizeHex(),
            size: open.entry.size,
            modified: open.entry.modified
        )
        self.files.append(
            ArchiveStage.File(
                path: open.path.text,
                place: open.file.path,
                content: content,
                precondition: open.entry.precondition
            )
        )
    }
}
