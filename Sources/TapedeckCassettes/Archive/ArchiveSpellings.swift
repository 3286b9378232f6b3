/// The names in a folder of cassettes, to detect names that differ only in case, which are one file on some machines.
/// Each folder is read once, so that it may hold thousands of cassettes.
struct ArchiveSpellings: Sendable {
    /// By folder, then by names in lower case.
    private var folders: [String: [String: Set<String>]] = [:]

    /// A cassette, or a folder on the way to it, whose name differs from that of `location` in case only.
    mutating func other(of location: CassetteLocation, in folder: String) -> String? {
        let parts = location.name.split(separator: "/").map(String.init)
        var path = folder
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let names = self.names(in: path)[ArchivePath.folded(part)] ?? []
            let other = names.filter { name in
                // A cassette and a folder of one name belong together.
                let base = FilePath.withoutYAMLEnding(name)
                return (base != name) == isLast && !base.utf8.elementsEqual(part.utf8)
            }
            if let other = other.min() { return other }
            path = FilePath.join(path, part)
        }
        return nil
    }

    /// Notes an existing cassette.
    mutating func add(_ location: CassetteLocation, in folder: String) {
        let parts = location.name.split(separator: "/").map(String.init)
        var path = folder
        for (index, part) in parts.enumerated() {
            let name = index == parts.count - 1 ? FilePath.name(of: location.path) : part
            self.folders[path]?[ArchivePath.folded(part), default: []].insert(name)
            path = FilePath.join(path, part)
        }
    }

    private mutating func names(in folder: String) -> [String: Set<String>] {
        if let known = self.folders[folder] { return known }
        var names: [String: Set<String>] = [:]
        for name in FileContents.names(in: folder) {
            names[ArchivePath.folded(FilePath.withoutYAMLEnding(name)), default: []].insert(name)
        }
        self.folders[folder] = names
        return names
    }
}
