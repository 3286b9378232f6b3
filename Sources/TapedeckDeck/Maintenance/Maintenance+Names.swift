package import TapedeckCassettes
import TapedeckCore
package import TapedeckMaintenance

// Commands name cassettes as users do, and take rules and values of secrets from the project and its environment.

extension MaintenanceOptions {
    /// - Parameters:
    ///   - cassette: a name or a path.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    package init(cassette: String, folder: String?) {
        self.init(
            CassetteFolder.location(cassette, folder: folder),
            environment: ProcessEnvironment.variables,
            temporaryFolder: ProcessEnvironment.temporaryFolder("tapedeck-drift")
        )
    }
}

extension CassetteSuggestions {
    /// - Parameters:
    ///   - cassette: the cassette to be changed, by name or path.
    ///   - other: another recording of the same scenario, likewise.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    /// - Throws: ``DeckError`` when one of them cannot be used.
    package init(_ cassette: String, _ other: String, folder: String?) throws(DeckError) {
        try self.init(
            CassetteFolder.location(cassette, folder: folder),
            CassetteFolder.location(other, folder: folder)
        )
    }
}

extension PrunePlan {
    /// - Parameters:
    ///   - names: cassettes by name or path; empty for all that the reports name.
    ///   - reports: files, and folders of them.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    ///   - force: true to use reports of runs that failed, too.
    ///   - takesHandWritten: true to remove also sets that a person wrote or added to.
    /// - Throws: ``DeckError`` when a report or a cassette cannot be used.
    package init(
        _ names: [String],
        reports: [String],
        folder: String?,
        force: Bool,
        takesHandWritten: Bool
    ) throws(DeckError) {
        try self.init(
            names.map { CassetteFolder.location($0, folder: folder) },
            reports: reports,
            force: force,
            takesHandWritten: takesHandWritten
        )
    }
}

extension CassetteScrub {
    /// - Parameters:
    ///   - reference: a name or a path.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    ///   - configuration: has the project with the rules, and the environment with the values of secrets.
    ///   - writes: false to report only what would be redacted.
    /// - Throws: ``DeckError`` when the cassette cannot be used or written.
    package init(
        _ reference: String,
        folder: String?,
        configuration: DeckConfiguration,
        writes: Bool
    ) throws(DeckError) {
        try self.init(
            CassetteFolder.location(reference, folder: folder),
            rules: try configuration.projectRules,
            environment: configuration.environment,
            writes: writes
        )
    }
}

extension SecretSearch {
    /// - Parameters:
    ///   - references: cassettes by name or path, other files, and folders, whose cassettes are all searched; empty for the
    ///     folder of cassettes.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    ///   - configuration: has the project with the rules, and the environment with the values of secrets.
    ///   - usesEntropy: true to find also words that only look random.
    /// - Throws: ``DeckError`` when one cannot be read.
    package init(
        _ references: [String],
        folder: String?,
        configuration: DeckConfiguration,
        usesEntropy: Bool
    ) throws(DeckError) {
        let references = references.isEmpty ? [CassetteFolder.path(folder)] : references
        try self.init(
            references.map { FileContents.exists($0) ? $0 : CassetteFolder.location($0, folder: folder).path },
            rules: try configuration.projectRules,
            environment: configuration.environment,
            usesEntropy: usesEntropy
        )
    }
}

extension DeckConfiguration {
    /// The rules for redaction of the project.
    fileprivate var projectRules: RedactionSettings {
        get throws(DeckError) {
            do {
                return try self.project.load().redaction
            } catch {
                throw DeckError(error, kind: .unusableCassette)
            }
        }
    }
}
