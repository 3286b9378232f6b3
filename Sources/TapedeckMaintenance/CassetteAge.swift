package import TapedeckCassettes
package import TapedeckCore
import TapedeckYAML

/// Takes that are older than their cassette allows, as `check` tells of them.
package enum CassetteAge {
    /// At most one, at `maxAge`: an error where the cassette is not to be played then.
    package static func diagnostics(_ result: CassetteReader.Result, path: String, now: Instant) -> [Diagnostic] {
        guard !result.hasErrors, let overage = result.cassette.overage(at: now) else { return [] }
        let place = result.document?.root?["maxAge"]?.position
        return [
            Diagnostic(
                severity: overage.maxAge.consequence == .fail ? .error : .warning,
                path: path,
                line: place?.line,
                column: place?.column,
                message: overage.message(for: result.cassette)
            )
        ]
    }
}

extension Cassette.Overage {
    /// The message for users, with the remedy.
    package func message(for cassette: Cassette) -> String {
        "\(self.description): ask the live API again with `tapedeck refresh \(cassette.path ?? cassette.name)`"
    }
}
