package import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction
import TapedeckTLS

/// Redacts a cassette that exists.
package struct CassetteScrub: Sendable {
    package let path: String
    private let outcome: SecretScrub.Outcome

    /// The places that could not be searched or changed, a line each.
    package var left: [String] { self.outcome.left.map(\.description) }

    /// - Parameters:
    ///   - rules: the rules of the project.
    ///   - environment: the variables with the values of secrets.
    ///   - writes: false to report the changes only.
    ///   - progress: counts the texts of the cassette.
    /// - Throws: ``DeckError`` if the cassette cannot be used or written.
    package init(
        _ location: CassetteLocation,
        rules: RedactionSettings,
        environment: [String: String],
        writes: Bool,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        self.path = location.path
        do {
            // Says what to do about a cassette that is not there.
            _ = try CassetteStore.onDisk.load(location)
            try CassetteStore.onDisk.checkNothingIsRecorded(location)
            self.outcome = try SecretScrub.scrub(
                location,
                settings: [rules],
                environment: environment,
                digest: { SHA256.hexDigest(of: $0) },
                writes: writes,
                progress: progress
            )
        } catch let error as RedactionError {
            throw DeckError("\(location.path): \(error)", kind: .unusableCassette)
        } catch {
            throw DeckError(error)
        }
    }

    /// The names of the secrets that were redacted, or would be.
    package var names: [String] { self.outcome.names.sorted() }
    /// The numbers of texts of the cassette and of body files that have them.
    package var counts: (texts: Int, files: Int) { (self.outcome.texts, self.outcome.files) }

    /// Returns a line about the changes, made or planned.
    package func line(isTrial: Bool) -> String {
        guard self.outcome.changed else { return "\(self.path): no secrets that a rule knows" }
        var parts = [Plural.text(self.outcome.texts, "text", "texts")]
        if self.outcome.files > 0 { parts.append(Plural.text(self.outcome.files, "body file", "body files")) }
        let names = SecretNames.summary(self.outcome.names)
        return "\(self.path): \(isTrial ? "would redact" : "redacted") \(names) in \(parts.joined(separator: " and "))"
    }
}
