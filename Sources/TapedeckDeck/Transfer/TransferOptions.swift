import TapedeckCassettes
import TapedeckCore

/// The options of pull and push.
package struct TransferOptions: Sendable {
    /// The cassettes, by their names; empty is all.
    package var names: [String] = []
    /// The folder at this end; `nil` is the usual one.
    package var folder: String?
    /// An archive at this end, in place of a folder.
    package var archive: String?
    /// True if every cassette is copied without a question.
    package var overwrites = false
    /// True if the transfer is only shown.
    package var isDryRun = false
    /// True if cassettes with secrets are pushed.
    package var allowsSecrets = false

    package init() {}

    var place: ArchiveFolder { ArchiveFolder(CassetteFolder.path(self.folder)) }
}

/// The result of a transfer.
package struct TransferSummary: Sendable, Equatable, Encodable {
    package var copied = 0
    /// Cassettes that were the same at both ends.
    package var same = 0
    /// Cassettes that were left as they are, though they differ.
    package var left = 0
}

/// The direction of a transfer.
enum TransferDirection {
    case pull
    case push

    var done: String { self == .pull ? "pulled" : "pushed" }
    var verb: String { self == .pull ? "pull" : "push" }

    /// Explains why a person has to decide; `own` is the version to copy.
    func words(_ reason: TransferDecision.Reason, own: CassetteVersion, other: CassetteVersion) -> String {
        let (here, there) = ("here", "on the deck")
        let (ownPlace, otherPlace) = self == .pull ? (there, here) : (here, there)
        let times = "\(other.modified.rfc3339) \(otherPlace), \(own.modified.rfc3339) \(ownPlace)"
        switch reason {
        case .onlyOtherChanged: return "it has changed \(otherPlace) since both were the same, and not \(ownPlace)"
        case .bothChanged: return "it has changed \(here) and \(there) since both were the same"
        case .otherNewer: return "the one \(otherPlace) is newer (\(times))"
        case .unclear: return "they differ, and their times do not tell which is newer (\(times))"
        }
    }
}
