package import TapedeckCassettes
import TapedeckTLS

/// The folder of the user's certificate authority.
package enum AuthorityFolder {
    /// `TAPEDECK_CA_DIR`, else `tapedeck` in `XDG_DATA_HOME`, else in `~/.local/share` (XDG Base Directory
    /// Specification).
    package static func path(in environment: [String: String] = ProcessEnvironment.variables) throws -> String {
        if let folder = environment["TAPEDECK_CA_DIR"], !folder.isEmpty { return folder }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return FilePath.join(data, "tapedeck") }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw DeckError("cannot tell where to keep the certificate authority: set TAPEDECK_CA_DIR to a folder")
        }
        return FilePath.join(home, ".local/share/tapedeck")
    }
}

/// A description of the user's certificate authority.
package struct AuthorityDescription: Sendable, Encodable {
    package var folder: String
    package var certificatePath: String
    package var subject: String
    package var expires: String
    /// SHA-256 of the certificate, upper-case with colons.
    package var fingerprint: String
    package var pem: String

    /// The user's authority, which is made on first use.
    package static func load() throws(DeckError) -> AuthorityDescription {
        do {
            let folder = try AuthorityFolder.path()
            let authority = try CertificateAuthority.loadOrCreate(in: folder)
            return AuthorityDescription(
                folder: folder,
                certificatePath: FilePath.join(folder, "ca.pem"),
                subject: authority.subject,
                expires: authority.expires,
                fingerprint: authority.fingerprint,
                pem: authority.certificatePEM
            )
        } catch {
            throw DeckError(error)
        }
    }
}
