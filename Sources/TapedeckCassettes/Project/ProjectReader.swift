package import TapedeckCore
import TapedeckYAML

/// The format of project files; they are read, and not written.
enum ProjectGrammar {
    static let project = Mapping<ProjectSettings>("project", "a project file") {
        Key("deck", .map(.oneOrList(.text))) { reader, entry, settings in
            settings.entries += reader.readDeck(entry.value)
        }
        .means("options of the command line, by name")
        Key("redact", \.redaction, .redaction, usually: RedactionSettings())
            .means("[rules for secrets](redaction.md)")
        Self.section("record", \.record, Self.record)
            .means("[what is recorded](recording.md)")
        Self.section("upstream", \.upstream, Self.upstream)
            .means("[the way to origins](configuration.md)")
        Key("streams", Codec<StreamPace>.streams.shape) { reader, entry, settings in
            settings.streams = Codec<StreamPace>.streams.read(&reader, entry.value, "streams")
            settings.entries.append(CassetteReader.entry("streams", entry.key, [entry.value.string]))
        }
        .means("[`instant`, `recorded`, `0.5x`](cassette-format.md#streams)")
        Key("descriptors", \.descriptors, .descriptors, usually: [])
            .means("[gRPC descriptors](grpc.md#descriptors)")
    }

    /// A section whose options are checked elsewhere, too.
    private static func section<Settings>(
        _ name: StaticString,
        _ place: any (WritableKeyPath<ProjectSettings, Settings> & Sendable),
        _ mapping: Mapping<Settings>
    ) -> Key<ProjectSettings> {
        Key(name, .mapping(mapping.name)) { reader, entry, settings in
            if !entry.value.isNull { _ = reader.read(entry.value, by: mapping, into: &settings[keyPath: place]) }
            settings.entries += CassetteReader.entries(in: name.description, entry.value)
        }
    }
}

extension CassetteSchema {
    package static let project = Self.schema(
        "A project file of Tapedeck",
        root: Definition(ProjectGrammar.project),
        [
            Definition(ProjectGrammar.record), Definition(ProjectGrammar.upstream),
            Definition(ProjectGrammar.certificate),
            Definition(CassetteGrammar.redaction), Definition(CassetteGrammar.rule),
        ]
    )
}

/// Reads a project file, with the diagnostics of a cassette.
enum ProjectReader {
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
        if let key = root.pairs.first(where: { $0.key.scalarEquals("tapedeck") })?.key {
            self.error(
                key,
                "this is a cassette, and \(ProjectFile.name) is the name of the project file: give the cassette another "
                    + "name, or leave the project file out with --no-project"
            )
        } else {
            _ = self.read(root, by: ProjectGrammar.project, into: &settings)
        }
    }
}
