package import TapedeckCassettes
import TapedeckCore
package import TapedeckMaintenance
import TapedeckSessions

extension CassetteReview {
    /// - Parameters:
    ///   - old: the folder of cassettes as it was; it need not exist.
    ///   - base: the user's name for that state.
    ///   - folder: as it is; see ``CassetteFolder``.
    ///   - configuration: has the project's rules for secrets, and the environment with the values of some.
    ///   - progress: counts the cassettes.
    /// - Throws: ``DeckError`` when a cassette or the project file cannot be used.
    package init(
        from old: String,
        since base: String,
        folder: String,
        configuration: DeckConfiguration,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        let scan = SecretScan(settings: [try configuration.projectRules], environment: configuration.environment)
        try self.init(from: old, to: folder, since: base, scan: scan, now: .now, progress: progress)
    }
}

extension CassetteOutline {
    /// Returns the outline of a cassette. A file that is not a readable cassette is returned unchanged: git compares
    /// nothing if a `textconv` program fails.
    ///
    /// - Throws: ``DeckError`` if the file does not exist.
    package static func text(of reference: String, folder: String?) throws(DeckError) -> String {
        let path = CassetteFolder.location(reference, folder: folder).path
        do {
            let source = try FileContents.read(FileContents.exists(reference) ? reference : path)
            // Git hands over a cassette of a revision without its body files.
            let result = CassetteReader.read(
                source,
                name: FilePath.name(of: reference),
                path: path,
                needsBodyFiles: false
            )
            guard !result.hasErrors else { return String(decoding: source, as: UTF8.self) }
            return CassetteOutline(result.cassette).lines.joined(separator: "\n")
        } catch {
            throw DeckError(error)
        }
    }
}
