/// The reason why something cannot be done, with advice.
package struct DeckError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// A cassette is missing or broken.
        case unusableCassette
        /// A port, a folder, the certificate authority.
        case cannotStart
        /// The recording is still in the journal.
        case notSaved
        /// The recording is still in the journal, because it may hold secrets.
        case unknownSecrets
        /// The command line names something that does not exist, or has a mistake.
        case badOption
    }

    package var kind: Kind
    package var description: String
    /// The file that could not be read or written, if that is the cause.
    package private(set) var file: FileError?

    package init(_ description: String, kind: Kind = .cannotStart) {
        self.description = description
        self.kind = kind
    }

    /// Converts `error` for a user.
    package init(_ error: any Error, kind: Kind = .cannotStart) {
        switch error {
        case let error as DeckError: self = error
        case let error as CassetteError: self.init(error.description, kind: .unusableCassette)
        case let error as UnknownSecretsError: self.init(error.description, kind: .unknownSecrets)
        default:
            self.init("\(error)", kind: kind)
            self.file = error as? FileError
        }
    }
}
