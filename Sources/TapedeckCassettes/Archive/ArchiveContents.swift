import TapedeckCore

/// The contents of an unpacked archive: only cassettes with their body files.
package struct ArchiveContents: Sendable {
    /// One cassette of it.
    package struct Cassette: Sendable {
        package var name: String
        package var version: CassetteVersion
        package var precondition: Precondition
        /// The reasons why it cannot be played, one line each; empty without errors. Such a cassette is not installed.
        package var problems: [String]
        let file: ArchiveStage.File
        /// By their names in the cassette.
        let bodies: [String: ArchiveStage.File]
        /// Those that are in the folder of its own.
        let ownBodies: Set<String>
    }

    /// By name.
    package let cassettes: [Cassette]
    /// The unpacked files, which live as long as this value.
    package let stage: ArchiveStage

    /// - Throws: ``ArchiveError`` for a file that belongs to no cassette, and for names that no cassette has.
    init(_ files: [ArchiveStage.File], of stage: ArchiveStage) throws {
        self.stage = stage
        let byPath = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
        var candidates: [(cassette: Cassette, paths: [String])] = []
        for file in files where FilePath.withoutYAMLEnding(file.path) != file.path {
            guard let source = try Self.source(file) else { continue }
            candidates.append(try Self.read(file, source, byPath, stage))
        }
        // A body that is itself a cassette belongs to the one that names it.
        let named = Set(candidates.flatMap(\.paths))
        candidates.removeAll { named.contains($0.cassette.file.path) }
        let used = Set(candidates.map(\.cassette.file.path)).union(candidates.flatMap(\.paths))
        let others = files.map(\.path).filter { !used.contains($0) }.sorted()
        guard others.isEmpty else {
            let shown =
                others.prefix(3).joined(separator: ", ") + (others.count > 3 ? " and \(others.count - 3) more" : "")
            throw ArchiveError(
                "\(shown): no part of a cassette of the archive, which are its file and the body files that it names; leave "
                    + "\(others.count == 1 ? "it" : "them") out"
            )
        }
        self.cassettes = candidates.map(\.cassette).sorted { $0.name < $1.name }
        for (left, right) in zip(self.cassettes, self.cassettes.dropFirst()) where left.name == right.name {
            throw ArchiveError("\(left.name) is in the archive as .yaml and as .yml; leave one out")
        }
    }

    /// The text of a file that says it is a cassette.
    private static func source(_ file: ArchiveStage.File) throws -> [UInt8]? {
        guard file.content.size <= ArchiveLimits().cassetteSize else {
            throw ArchiveError("\(file.path) has \(file.content.size) bytes, too many for a cassette", kind: .tooLarge)
        }
        let source = try FileContents.read(file.place)
        return ArchiveFolder.isCassette(source) ? source : nil
    }

    /// - Returns: the cassette, and the paths of its body files.
    private static func read(
        _ file: ArchiveStage.File,
        _ source: [UInt8],
        _ files: [String: ArchiveStage.File],
        _ stage: ArchiveStage
    ) throws -> (Cassette, [String]) {
        let name: String
        do throws(CassetteError) {
            name = try CassetteName(file.path, folder: "").text
        } catch {
            throw ArchiveError(error.diagnostics.first?.message ?? "\(file.path) is no name of a cassette")
        }
        let result = CassetteReader.read(source, name: name, path: file.place)
        let own = FilePath.name(of: name)
        let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
        var bodies: [String: ArchiveStage.File] = [:]
        var ownBodies: Set<String> = []
        for body in result.cassette.bodyFiles {
            let path = try BodyPath(body.name, of: own)
            bodies[path.text] = files[folder + path.text]
            if path.isOwn { ownBodies.insert(path.text) }
        }
        let problems = result.diagnostics.filter { $0.severity == .error }
            .map { $0.description.replacing("\(FilePath.join(stage.folder, "files"))/", with: "") }
        let version = CassetteVersion(of: file.content, bodies: bodies.mapValues(\.content), hashing: stage.hashing)
        let cassette = Cassette(
            name: name,
            version: version,
            precondition: Precondition(file.precondition),
            problems: problems,
            file: file,
            bodies: bodies,
            ownBodies: ownBodies
        )
        return (cassette, bodies.values.map(\.path))
    }
}
