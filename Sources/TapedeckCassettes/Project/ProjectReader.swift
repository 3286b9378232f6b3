import TapedeckYAML

/// Reads a project file, with the diagnostics of a cassette.
enum ProjectReader {
    /// The keys of a project file.
    static let keys = ["redact", "record", "upstream", "streams", "descriptors", "deck"]

    static func read(_ source: [UInt8], path: String) throws(CassetteError) -> ProjectSettings {
        var reader = CassetteReader(path: path)
        var settings = ProjectSettings(path: path)
        do {
            // An empty file is valid.
            if let root = try YAMLDocument(parsing: source).root { reader.readProject(root, into: &settings) }
        } catch {
            throw CassetteError([ConflictMarkers.problem(error, in: source, path: path)])
        }
        let errors = CassetteReader.sorted(reader.diagnostics).filter { $0.severity == .error }
        guard errors.isEmpty else { throw CassetteError(errors) }
        return settings
    }
}

extension CassetteReader {
    fileprivate mutating func readProject(_ root: YAMLNode, into settings: inout ProjectSettings) {
        guard self.expectMapping(root, "a project file") else { return }
        for (key, value) in root.pairs {
            switch key.string {
            case "deck": settings.entries += self.readDeck(value)
            case "redact": settings.redaction = self.readRedaction(value)
            case "record":
                settings.record = self.readRecord(value)
                settings.entries += Self.entries(in: "record", value)
            case "upstream":
                settings.upstream = self.readUpstream(value)
                settings.entries += Self.entries(in: "upstream", value)
            case "streams":
                settings.streams = self.readStreams(value)
                settings.entries.append(Self.entry("streams", key, [value.string]))
            case "descriptors": settings.descriptors = self.readDescriptors(value)
            case "tapedeck":
                self.error(
                    key,
                    "this is a cassette, and \(ProjectFile.name) is the name of the project file: give the cassette another "
                        + "name, or leave the project file out with --no-project"
                )
            default: self.unknown(key, ProjectReader.keys, of: "a project file")
            }
        }
    }
}
