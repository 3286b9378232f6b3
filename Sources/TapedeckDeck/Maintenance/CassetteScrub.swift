import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction
import TapedeckTLS

/// Redacts a cassette that exists.
package struct CassetteScrub: Sendable {
    package let path: String
    private let outcome: SecretScrub.Outcome

    /// What could not be searched or changed, a line each.
    package var left: [String] { self.outcome.left.map(\.description) }

    /// - Parameters:
    ///   - reference: a name or a path.
    ///   - configuration: whose project has rules, and in whose environment values of secrets are.
    ///   - writes: whether anything is written; otherwise it says what would be.
    /// - Throws: ``DeckError`` when the cassette cannot be used or written.
    package init(
        _ reference: String,
        folder: String?,
        configuration: DeckConfiguration,
        writes: Bool
    ) throws(DeckError) {
        let location = CassetteFolder.location(reference, folder: folder)
        self.path = location.path
        do {
            // Says what to do about a cassette that is not there.
            _ = try Deck.store.load(location)
            guard !FileContents.exists(location.journalFolder) else {
                throw DeckError(
                    "a recording of \(location.path) runs, or was interrupted: stop it, or take it up with replay, first",
                    kind: .unusableCassette
                )
            }
            self.outcome = try SecretScrub.scrub(
                location,
                settings: [try configuration.project.load().redaction],
                environment: configuration.environment,
                digest: { SHA256.hexDigest(of: $0) },
                writes: writes
            )
        } catch let error as RedactionError {
            throw DeckError("\(location.path): \(error)", kind: .unusableCassette)
        } catch {
            throw DeckError(error)
        }
    }

    /// What was done, or would be.
    package func line(isTrial: Bool) -> String {
        guard self.outcome.changed else { return "\(self.path): no secrets" }
        var parts = [DeckSummary.count(self.outcome.texts, "text", "texts")]
        if self.outcome.files > 0 { parts.append(DeckSummary.count(self.outcome.files, "body file", "body files")) }
        let names = self.outcome.names.joined(separator: ", ")
        return "\(self.path): \(isTrial ? "would redact" : "redacted") \(names) in \(parts.joined(separator: " and "))"
    }
}
