/// The reason why a whole archive cannot be used. Nothing of it is installed then.
package struct ArchiveError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// It is not a tar archive, is damaged, or contains something that does not belong to a cassette.
        case malformed
        /// It has more bytes or entries than are taken.
        case tooLarge
        /// A cassette changed while it was being read.
        case changed
    }

    package var kind: Kind
    /// The error and how to fix it.
    package var description: String

    package init(_ description: String, kind: Kind = .malformed) {
        self.kind = kind
        self.description = description
    }
}

/// The limits of an archive.
package struct ArchiveLimits: Sendable {
    /// The whole archive, in bytes. 1 GiB.
    package var size = 1 << 30
    /// Files and folders in it. 100,000.
    package var entries = 100_000
    /// A cassette's own file, which is read into memory, in bytes. 64 MiB.
    package var cassetteSize = 64 << 20

    package init() {}
}
