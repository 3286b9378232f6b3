import TapedeckCassettes
import TapedeckImport
import TapedeckLocking
import TapedeckPlatform

/// The files that an import reads: those that were named, and those in folders that were named.
struct ImportSources {
    /// A file to import.
    struct Source {
        let path: String
        /// The folder that the file's side files must be in.
        let root: String
        /// The path below the folder that was named, without its ending; `nil` for a file that was named itself.
        let relative: String?
    }

    /// The largest file that is read. 4 GiB for those that are read entry by entry, 1 GiB for all others.
    static let sizeLimit = 1 << 30
    static let streamLimit = 4 << 30
    /// JSON files above this size are read entry by entry, if their format has a list of entries. 16 MiB.
    static let wholeLimit = 16 << 20
    private static let depthLimit = 32

    private(set) var sources: [Source] = []
    /// Folders that are not looked into, each with the reason.
    private(set) var skipped: [(path: String, reason: String)] = []

    /// - Throws: ``DeckError`` for a path that is not there.
    init(_ paths: [String]) throws(DeckError) {
        for given in paths {
            var path = given
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            guard FileContents.exists(path) else {
                throw DeckError("there is no file or folder \(path)", kind: .badOption)
            }
            if FileContents.isFolder(path) {
                // Stubs of WireMock name files in a folder next to theirs.
                let isMappings = FilePath.name(of: path) == "mappings"
                self.add(folder: path, root: isMappings ? FilePath.folder(of: path) : path, below: "", depth: 0)
            } else {
                self.sources.append(Source(path: path, root: Self.root(of: path), relative: nil))
            }
        }
    }

    private mutating func add(folder: String, root: String, below: String, depth: Int) {
        guard depth < Self.depthLimit else {
            self.skipped.append((folder, "it is more than \(Self.depthLimit) folders deep: it is skipped"))
            return
        }
        for name in FileContents.names(in: folder).sorted() {
            let path = FilePath.join(folder, name)
            let relative = below.isEmpty ? name : "\(below)/\(name)"
            guard !name.hasPrefix(".") else {
                if FileContents.isFolder(path) { self.skipped.append((path, "it is a hidden folder: it is skipped")) }
                continue
            }
            if FileContents.isFolder(path) {
                // A link may lead out of the folder, or back into it.
                guard !FileContents.isLink(path) else {
                    self.skipped.append((path, "it is a link to a folder: it is skipped"))
                    continue
                }
                self.add(folder: path, root: root, below: relative, depth: depth + 1)
            } else if Self.isInside(path, root) {
                self.sources.append(Source(path: path, root: root, relative: relative))
            }
        }
    }

    /// Stubs of WireMock name files in a folder next to that of the stubs.
    private static func root(of path: String) -> String {
        guard let range = path.ranges(of: "/mappings/").last else {
            return path.hasPrefix("mappings/") ? "." : FilePath.folder(of: path)
        }
        return String(path[..<range.lowerBound])
    }

    /// The path without links; `nil` where nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static func isInside(_ path: String, _ root: String) -> Bool {
        guard let path = self.resolved(path), let root = self.resolved(root.isEmpty ? "." : root) else { return false }
        return root == "/" || path.hasPrefix("\(root)/")
    }

    /// Gives a file piece by piece, 1 MiB each; none at its end.
    ///
    /// - Throws: `FileError`, also when a piece is read.
    static func pieces(of path: String) throws -> EntryStream.Pieces {
        let reader = try BodyFileReader(path: path)
        return { try reader.read(upTo: 1 << 20) }
    }

    /// The most files that are listed for one that is told from its folder. 100,000.
    private static let siblingLimit = 100_000

    /// Lists the files below the folder of a file, relative to it, without hidden ones.
    static func siblings(of source: Source) -> [String] {
        var found: [String] = []
        func list(_ folder: String, _ below: String, _ depth: Int) {
            guard depth < Self.depthLimit else { return }
            for name in FileContents.names(in: folder).sorted() where !name.hasPrefix(".") {
                guard found.count < Self.siblingLimit else { return }
                let path = FilePath.join(folder, name)
                if !FileContents.isFolder(path) {
                    found.append(below + name)
                } else if !FileContents.isLink(path) {
                    list(path, "\(below)\(name)/", depth + 1)
                }
            }
        }
        list(FilePath.folder(of: source.path), "", 0)
        return found
    }

    /// Reads a file that `source` names, relative to its own folder; `nil` if it is missing, not a file, too large, or
    /// outside the root.
    ///
    /// - Parameter used: gets the path of each file that was read, without links.
    static func sides(of source: Source, noting used: Locked<Set<String>>) -> ImportFile.Sides {
        { path in
            guard !path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
            let full = FilePath.join(FilePath.folder(of: source.path), path)
            guard Self.isInside(full, source.root), !FileContents.isFolder(full),
                let size = FileContents.size(full), size <= Self.sizeLimit
            else { return nil }
            if let path = Self.resolved(full) { _ = used.withLock { $0.insert(path) } }
            return try? FileContents.read(full)
        }
    }
}
