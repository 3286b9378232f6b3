package import TapedeckCassettes
package import TapedeckCore
package import TapedeckMaintenance

extension SecretSearch {
    /// - Parameters:
    ///   - references: cassettes by name or path, other files, and folders, whose cassettes are all searched; empty for the
    ///     folder of cassettes.
    ///   - folder: where names are looked up; see ``CassetteFolder``.
    ///   - configuration: has the project with the rules, and the environment with the values of secrets.
    ///   - usesEntropy: true to find also words that only look random.
    ///   - progress: counts the files.
    /// - Throws: ``DeckError`` when one cannot be read.
    package init(
        _ references: [String],
        folder: String?,
        configuration: DeckConfiguration,
        usesEntropy: Bool,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        try self.init(
            try CassetteFolder.files(references, folder: folder),
            rules: try configuration.projectRules,
            environment: configuration.environment,
            usesEntropy: usesEntropy,
            progress: progress
        )
    }
}

extension DeckConfiguration {
    /// The project's rules for redaction.
    ///
    /// - Throws: ``DeckError`` when the project file cannot be used.
    package var projectRules: RedactionSettings {
        get throws(DeckError) {
            do {
                return try self.project.load().redaction
            } catch {
                throw DeckError(error, kind: .unusableCassette)
            }
        }
    }
}
