package import TapedeckCassettes
package import TapedeckCore

/// Body files that no cassette names any more.
package struct OrphanBodies: Sendable, Equatable {
    /// Those that a recording made, by their paths.
    package private(set) var files: [BodyFile] = []
    /// Names of files in the folder that nothing names either, and that no recording gave.
    package private(set) var others: [String] = []
    /// A cassette of the same folder that cannot be read and may name some of them; nothing is an orphan then.
    package private(set) var unreadable: String?

    /// Searches the folder for body files of a cassette.
    ///
    /// - Parameters:
    ///   - cassette: its present or future content.
    ///   - store: reads the other cassettes of the folder, which may name the same files.
    package init(of cassette: Cassette, at location: CassetteLocation, store: CassetteStore) {
        let folder = location.bodyFolderName
        let place = FilePath.join(location.folder, folder)
        var candidates = FileContents.names(in: place).filter { !$0.hasPrefix(".") }
            .compactMap { name in
                let path = FilePath.join(place, name)
                return FileContents.size(path).map { BodyFile(name: "\(folder)/\(name)", path: path, size: $0) }
            }
        self.leaveOut(cassette.bodyFiles.map(\.path), of: &candidates)
        guard !candidates.isEmpty else { return }
        for name in FileContents.names(in: location.folder) where FilePath.withoutYAMLEnding(name) != name {
            let path = FilePath.join(location.folder, name)
            guard path != location.path, name != FilePath.name(of: location.path) else { continue }
            guard let result = try? store.check(CassetteLocation(path, folder: "")), result.document != nil else {
                self.unreadable = path
                return
            }
            self.leaveOut(result.cassette.bodyFiles.map(\.path), of: &candidates)
        }
        self.files = candidates.filter { BodyStorage.isRecordedName($0.name) }
        self.others = candidates.map(\.name).filter { !BodyStorage.isRecordedName($0) }
    }

    private func leaveOut(_ paths: [String], of candidates: inout [BodyFile]) {
        let named = Set(paths)
        candidates.removeAll { named.contains($0.path) }
    }
}
