/// The path of a file in an archive, and of a body file in a cassette: always within the folder, and valid on every
/// file system.
struct ArchivePath: Hashable {
    private static let lengthLimit = 1_000
    private static let partLimit = 255
    private static let depthLimit = 16

    /// Without a leading `./` and a trailing slash; empty for the folder itself.
    let text: String

    /// - Throws: ``ArchiveError`` for a path that leads elsewhere, or that cannot be everywhere.
    init(_ path: String) throws(ArchiveError) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last == "" { parts.removeLast() }
        while parts.first == "." { parts.removeFirst() }
        let text = parts.joined(separator: "/")
        let isUsable =
            !path.isEmpty && !path.hasPrefix("/") && text.utf8.count <= Self.lengthLimit
            && parts.count <= Self.depthLimit && parts.allSatisfy(Self.isPart)
        guard isUsable else {
            throw ArchiveError(
                "\(String(path.prefix(200)).debugDescription) cannot be the name of a file here: a name leads down from the "
                    + "folder of cassettes, without .., \\, control characters and empty parts, has at most "
                    + "\(Self.lengthLimit) bytes, and \(Self.partLimit) in each part"
            )
        }
        self.text = text
    }

    private static func isPart(_ part: Substring) -> Bool {
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= self.partLimit
            && !part.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
    }

    var name: String { FilePath.name(of: self.text) }

    /// True if it or its folder is hidden, or belongs to a recording's journal, and so is not part of a cassette.
    var isApart: Bool {
        self.text.split(separator: "/").contains { $0.hasPrefix(".") || $0.hasSuffix(".journal") }
    }

    /// Returns the common form of paths that differ only in case, which are one file on some machines.
    static func folded(_ path: String) -> String { path.lowercased() }
}

/// The name of a body file as a cassette has it, where the file can go along with the cassette.
struct BodyPath {
    /// Relative to the cassette's folder, in its simplest form: the same file has one name.
    let text: String
    /// True if it is in the cassette's own folder, which no other cassette uses.
    let isOwn: Bool

    /// - Parameter folder: the cassette's own folder of body files.
    /// - Throws: ``ArchiveError``.
    init(_ name: String, of folder: String) throws(ArchiveError) {
        let simple = name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        let path = try ArchivePath(simple)
        self.text = path.text
        self.isOwn = path.text.hasPrefix("\(folder)/")
        // Elsewhere it could be mistaken for a cassette.
        let isCassette = !self.isOwn && FilePath.withoutYAMLEnding(path.text) != path.text
        guard !path.isApart, !isCassette else {
            throw ArchiveError(
                "the body file \(name) cannot be in an archive: it is hidden, or YAML outside of \(folder)/; put it into "
                    + "\(folder)/ under another name"
            )
        }
    }
}
