package import TapedeckCassettes
package import TapedeckCore
import TapedeckTLS

/// The requests of a cassette that are sent again, and the way to send them.
package struct MaintenanceOptions: Sendable {
    /// The methods that change nothing at the origin (RFC 9110 section 9.2.1), but for TRACE.
    package static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS"]

    package var cassette: CassetteLocation
    /// The methods to request again; `nil` is all of them.
    package var methods: Set<String>? = Self.safeMethods
    /// The names of the response sets to request again; empty is all.
    package var sets: [String] = []
    /// Fields that go with every request, in the place of those of their names; they may hold `{{secret.NAME}}`.
    package var headers: [HeaderField] = []
    /// The variables that hold the values of secrets.
    package var environment: [String: String]
    /// The folder for the live answers of a drift. It is made and removed.
    package var temporaryFolder: String

    package init(_ cassette: CassetteLocation, environment: [String: String], temporaryFolder: String) {
        self.cassette = cassette
        self.environment = environment
        self.temporaryFolder = temporaryFolder
    }

    /// Parses a header field of the command line, `NAME: VALUE`.
    ///
    /// - Throws: ``DeckError`` for an invalid field, and for fields of a message's framing.
    package static func header(_ text: String) throws(DeckError) -> HeaderField {
        let name = text.prefix { $0 != ":" }
        let value = text.dropFirst(name.count + 1).trimmingSpaces()
        // RFC 9110 section 5.1; the value may hold anything but what would end its line.
        guard !name.isEmpty, name.utf8.count < text.utf8.count, name.utf8.allSatisfy(ASCII.isToken),
            !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        else {
            throw DeckError("`\(name)` is no header field; write --header 'NAME: VALUE'", kind: .badOption)
        }
        let field = HeaderField(String(name), String(value))
        guard !LiveRequest.ownFields.contains(where: field.isNamed) else {
            throw DeckError("--header cannot set \(name): it follows from the request itself", kind: .badOption)
        }
        return field
    }
}

extension CassetteStore {
    /// The store of cassettes on disk. It names body files by their SHA-256.
    package static let onDisk = CassetteStore { SHA256.hexDigest(of: $0) }
}
