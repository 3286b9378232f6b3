import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TapedeckYAML

/// Takes that are older than their cassette allows, as `check` tells of them.
enum CassetteAge {
    /// At most one, at `maxAge`: an error where the cassette is not to be played then.
    static func diagnostics(_ result: CassetteReader.Result, path: String, now: Instant = .now) -> [Diagnostic] {
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
