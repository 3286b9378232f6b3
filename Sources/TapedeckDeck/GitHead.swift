import TapedeckCassettes

/// The commit and the branch that are checked out in a folder, by git's files (gitrepository-layout(5)).
struct GitHead {
    private(set) var commit: String?
    private(set) var branch: String?

    /// `nil` outside a working tree, and for one whose files are elsewhere.
    ///
    /// - Parameter folder: an absolute path.
    init?(of folder: String) {
        guard folder.hasPrefix("/") else { return nil }
        var folder = folder
        while !FileContents.exists(FilePath.join(folder, ".git/HEAD")) {
            guard let slash = folder.lastIndex(of: "/"), folder.count > 1 else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        let git = FilePath.join(folder, ".git")
        guard let head = Self.line(FilePath.join(git, "HEAD")) else { return nil }
        guard head.hasPrefix("ref: ") else {
            self.commit = head
            return
        }
        let name = String(head.dropFirst("ref: ".count))
        if name.hasPrefix("refs/heads/") { self.branch = String(name.dropFirst("refs/heads/".count)) }
        self.commit = Self.line(FilePath.join(git, name)) ?? Self.packed(name, in: git)
    }

    private static func line(_ path: String) -> String? {
        guard let text = try? FileContents.read(path) else { return nil }
        return String(validating: text.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    private static func packed(_ name: String, in git: String) -> String? {
        guard let text = try? FileContents.read(FilePath.join(git, "packed-refs")) else { return nil }
        let lines = text.split(separator: 0x0A)
        return lines.first { $0.dropFirst(41).elementsEqual(name.utf8) }.map {
            String(decoding: $0.prefix(40), as: UTF8.self)
        }
    }
}
