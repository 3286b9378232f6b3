package import TapedeckCassettes
import TapedeckControlAPI
import TapedeckImport
package import TapedeckMaintenance
import TapedeckPlatform

extension CassetteDiff {
    /// - Parameters:
    ///   - first: a name or a path, also of a file of another tool, which is read as by an import; likewise `second`.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    /// - Throws: ``DeckError`` when one of them cannot be used.
    package init(_ first: String, _ second: String, folder: String?) throws(DeckError) {
        let old = try ComparedCassette(first, folder: folder)
        let new = try ComparedCassette(second, folder: folder)
        // An imported cassette is removed with the object that holds it.
        defer { withExtendedLifetime((old, new)) {} }
        try self.init(old.location, new.location, paths: (old.path, new.path))
    }
}

/// One side of a comparison: a cassette, or a file of another tool that is imported temporarily.
private final class ComparedCassette {
    /// The path that the user knows.
    let path: String
    let location: CassetteLocation
    /// The folder of what was imported; `nil` for a cassette.
    private let temporary: String?

    /// - Throws: ``DeckError`` for a file of another tool of which nothing is played.
    init(_ reference: String, folder: String?) throws(DeckError) {
        guard FileContents.exists(reference), !FileContents.isFolder(reference), Self.isForeign(reference) else {
            self.location = CassetteFolder.location(reference, folder: folder)
            self.path = self.location.path
            self.temporary = nil
            return
        }
        self.path = reference
        let temporary = ProcessEnvironment.temporaryFolder("tapedeck-diff") + "-\(FilePath.name(of: reference))"
        FileContents.removeTree(temporary)
        self.temporary = temporary
        self.location = CassetteFolder.location("\(temporary)/imported.yaml", folder: nil)
        var configuration = DeckConfiguration.passthrough()
        configuration.readProject(named: nil, unless: false)
        var options = CassetteImport.Options(paths: [reference])
        options.out = self.location.path
        let report = try CassetteImport(options, configuration: configuration, now: Int(time(nil))).report
        guard report.cassettes.isEmpty else { return }
        throw DeckError(report.lines.joined(separator: "\n"), kind: .unusableCassette)
    }

    deinit {
        if let temporary = self.temporary { FileContents.removeTree(temporary) }
    }

    /// Returns true for a file that is not a cassette, and that a format recognises.
    private static func isForeign(_ path: String) -> Bool {
        if FilePath.withoutYAMLEnding(path) != path, (try? Deck.store.load(CassetteLocation(path, folder: ""))) != nil {
            return false
        }
        guard let size = FileContents.size(path), size <= ImportSources.sizeLimit,
            let bytes = try? FileContents.read(path)
        else { return false }
        let files = (try? PackedFile.files(path: path, bytes: bytes)) ?? []
        return files.contains { ImportFormats.plain.recognising($0) != nil }
    }
}
