import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// The cassettes in the folder, for those who know them by name only.
extension CassetteLibrary {
    /// A cassette of the folder, as it is played or as its file has it.
    package struct Listing: Sendable {
        /// With the folders that it is in, as in `team/github`.
        package var name: String
        package var location: CassetteLocation
        package var about: String?
        package var responseSets: Int
        /// Their names, in the order of the file.
        package var profiles: [String]
        /// The reason why it cannot be used; for a cassette that was never played, only what can be found without
        /// reading all of it.
        package var problem: String?
    }

    /// The maximum number of listed cassettes. 1,000.
    package static let listLimit = 1_000
    /// Folders within folders that are looked into.
    private static let depthLimit = 8

    /// Returns the location of the cassette with this name, whether it exists or not. An extension `.yaml` is dropped.
    /// If the library accepts paths, a name that begins with `/` is one.
    ///
    /// - Throws: ``CassetteError`` if the name is invalid, or leads out of the folder.
    package func location(named name: String) throws(CassetteError) -> CassetteLocation {
        // The system would take a path with a NUL for the one before it; as a name it is refused.
        if self.takesPaths, name.hasPrefix("/"), !name.utf8.contains(0) { return CassetteLocation(path: name) }
        return try CassetteName(name, folder: self.folder).location(in: self.folder)
    }

    /// The place in the folder of a cassette that is named after a text, such as the name of a file, which need not be a name.
    ///
    /// - Throws: ``CassetteError`` when a link leads out of the folder.
    package func location(namedAfter text: String) throws(CassetteError) -> CassetteLocation {
        try CassetteName(CassetteName.nearest(to: text), folder: self.folder).location(in: self.folder)
    }

    /// Returns the cassettes in the folder and the folders within, by name. Reads files that were never played, again
    /// only if they have changed.
    package func list() -> [Listing] {
        var names: [String] = []
        var entries = 0
        self.findNames(in: "", depth: 0, into: &names, &entries)
        var listings: [Listing] = []
        for name in names.sorted() {
            guard listings.count < Self.listLimit else { break }
            // A link that leads out of the folder is not followed.
            guard let location = try? self.location(named: name), let listing = self.listing(location) else { continue }
            listings.append(listing)
        }
        let paths = Set(listings.map(\.location.path))
        self.state.withLock { $0.peeks = $0.peeks.filter { paths.contains($0.key) } }
        return listings
    }

    /// Everything there is to say about a cassette's file as it is now.
    ///
    /// - Throws: ``CassetteError`` when it cannot be read.
    package func check(_ location: CassetteLocation) throws(CassetteError) -> CassetteReader.Result {
        do {
            return try self.store.check(location)
        } catch let error as FileError where error.isMissing {
            throw CassetteError(path: location.path, "there is no cassette \(location.name)")
        } catch {
            throw CassetteError(path: location.path, "\(error)")
        }
    }

    // MARK: Finding

    /// - Parameter folder: within the folder of cassettes, with a slash at its end; empty for itself.
    private func findNames(in folder: String, depth: Int, into names: inout [String], _ entries: inout Int) {
        let path = FilePath.join(self.folder, folder)
        var folders: [String] = []
        for name in FileContents.names(in: path) where CassetteName.isPart(name) {
            entries += 1
            // As many as a folder of body files may hold, and an end to it.
            guard entries <= 100_000, names.count <= 2 * Self.listLimit else { return }
            var status = stat()
            guard lstat(FilePath.join(path, name), &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                folders.append(name)
            } else {
                let base = FilePath.withoutYAMLEnding(name)
                if base != name, names.last != folder + base { names.append(folder + base) }
            }
        }
        guard depth < Self.depthLimit else { return }
        for name in folders { self.findNames(in: "\(folder)\(name)/", depth: depth + 1, into: &names, &entries) }
    }

    private func listing(_ location: CassetteLocation) -> Listing? {
        let loaded = self.state.withLock { $0.cassettes[location.path] }
        if let loaded, let cassette = loaded.cassette {
            return Listing(
                name: location.name,
                location: location,
                about: cassette.about,
                responseSets: cassette.responseSets.count,
                profiles: cassette.profiles.map(\.name),
                problem: loaded.problem
            )
        }
        guard let peek = self.peek(location), peek.hasFormat || !self.isBodyFile(location) else { return nil }
        return Listing(
            name: location.name,
            location: location,
            about: peek.about,
            responseSets: peek.responseSets,
            profiles: peek.profiles,
            problem: loaded?.problem ?? peek.problem
        )
    }

    private func peek(_ location: CassetteLocation) -> CassettePeek? {
        guard FileContents.size(location.path) != nil, let signature = FileSignature(location.path) else { return nil }
        let known = self.state.withLock { $0.peeks[location.path] }
        if let known, known.signature == signature { return known }
        let peek = CassettePeek(location.path, signature: signature)
        self.state.withLock { $0.peeks[location.path] = peek }
        return peek
    }

    /// Returns true if it is among the body files of another cassette: a YAML body is not a cassette.
    private func isBodyFile(_ location: CassetteLocation) -> Bool {
        let folder = location.folder
        return folder != self.folder
            && [".yaml", ".yml"].contains { FileContents.exists(folder + $0) }
    }
}
