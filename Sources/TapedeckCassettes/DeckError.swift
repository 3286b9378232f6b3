/// Why something cannot be done, and what to do about it.
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
        /// Something that the command line asks for is not there, or is written wrong.
        case badOption
    }

    package var kind: Kind
    package var description: String
    /// The file that could not be read or written, where that is the cause.
    package private(set) var file: FileError?

    package init(_ description: String, kind: Kind = .cannotStart) {
        self.description = description
        self.kind = kind
    }

    /// What `error` comes to for a user.
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
