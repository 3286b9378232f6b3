import TapedeckPlatform

/// The cassettes of a folder, as an archive has them: all of them, by name.
package struct ArchiveFolder: Sendable {
    private static let depthLimit = 8
    /// Files and folders that are looked at.
    private static let entryLimit = 1_000_000

    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Returns the location of the cassette with this name, whether it exists or not.
    ///
    /// - Throws: ``CassetteError`` if the name is invalid, or leads out of the folder.
    package func location(named name: String) throws(CassetteError) -> CassetteLocation {
        try CassetteName(name, folder: self.path).location(in: self.path)
    }

    /// Returns the cassettes in the folder and the folders within, by name. A YAML file without the key `tapedeck` is
    /// not a cassette.
    package func cassettes() -> [CassetteLocation] {
        var names: [String] = []
        var entries = 0
        self.find(in: "", depth: 0, into: &names, &entries)
        // A link that leads out of the folder is not followed.
        var bodies: [String: Set<String>] = [:]
        return Set(names).sorted().compactMap { name in
            guard let location = try? self.location(named: name), FileContents.size(location.path) != nil,
                Self.isCassette(location.path), !self.isBody(location, &bodies)
            else { return nil }
            return location
        }
    }

    private func find(in folder: String, depth: Int, into names: inout [String], _ entries: inout Int) {
        let path = FilePath.join(self.path, folder)
        var folders: [String] = []
        for name in FileContents.names(in: path) where CassetteName.isPart(name) {
            entries += 1
            guard entries <= Self.entryLimit else { return }
            let base = FilePath.withoutYAMLEnding(name)
            if base != name {
                names.append(folder + base)
            } else if Self.isFolder(FilePath.join(path, name)) {
                folders.append(name)
            }
        }
        guard depth < Self.depthLimit else { return }
        for name in folders { self.find(in: "\(folder)\(name)/", depth: depth + 1, into: &names, &entries) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns true if a cassette names it as a body file in its folder.
    ///
    /// - Parameter bodies: the body files of cassettes checked before, by their folders.
    private func isBody(_ location: CassetteLocation, _ bodies: inout [String: Set<String>]) -> Bool {
        let name = FilePath.folder(of: location.name)
        var folders = name == "." ? [] : name.split(separator: "/").map(String.init)
        while !folders.isEmpty {
            let owner = folders.joined(separator: "/")
            if bodies[owner] == nil {
                let bundle = try? CassetteBundle(try self.location(named: owner))
                bodies[owner] = Set(bundle?.bodies.map(\.path) ?? [])
            }
            if bodies[owner]?.contains(location.path) ?? false { return true }
            folders.removeLast()
        }
        return false
    }

    private static func isCassette(_ path: String) -> Bool {
        (try? FileContents.read(path)).map(Self.isCassette) ?? false
    }

    /// Returns true if a line begins with `tapedeck:`, even if the rest is invalid, so that its errors are reported.
    static func isCassette(_ source: [UInt8]) -> Bool {
        let key = Array("tapedeck:".utf8)
        return source.split(separator: UInt8(ascii: "\n")).contains { line in
            // A byte order mark comes before the first line.
            line.starts(with: key) || line.starts(with: [0xEF, 0xBB, 0xBF] + key)
        }
    }
}
