package import TapedeckCassettes
import TapedeckControlAPI
import TapedeckMaintenance

/// The environment variables that send a program's HTTP traffic through a deck and make it trust the deck's
/// certificates.
package struct ClientEnvironment: Sendable {
    /// Files with certificates, for the two kinds of variable.
    package struct TrustFiles: Sendable {
        /// The deck's authority alone, for variables that add to a program's own roots.
        package var authority: String
        /// The system's roots and the deck's, for variables that replace them.
        package var bundle: String
    }

    /// The variables that make programs trust the deck.
    package static func trust(_ files: TrustFiles) -> [(name: String, value: String)] {
        ClientVariables.trust(authority: files.authority, bundle: files.bundle)
    }

    /// Returns the environment of a child, from Tapedeck's own.
    ///
    /// - Parameters:
    ///   - proxy: with the token, if the deck requires one.
    ///   - baseURL: the URL of the reverse listener, if any.
    ///   - controlURL: the URL of the control API. Without it, variables that name another deck are removed.
    ///   - withheld: variables with secrets of the deck, such as pass phrases, that the child does not get. It never
    ///     gets the deck's token, nor the values of `TAPEDECK_SECRET_…` for the deck's own requests.
    ///   - isIsolated: true if all connections of the child lead to the deck, so that it needs no proxy variables.
    package static func child(
        inheriting inherited: [String: String],
        proxy: String,
        baseURL: String?,
        controlURL: String?,
        withholding withheld: [String] = [],
        trust files: TrustFiles,
        isIsolated: Bool = false
    ) -> [String: String] {
        ClientVariables.child(
            inheriting: inherited.filter { name, _ in
                !withheld.contains(name)
                    // One of an option begins the same.
                    && (!name.hasPrefix(LiveSecrets.variablePrefix) || name == "TAPEDECK_SECRET_ENVIRONMENT")
            },
            proxy: proxy,
            authority: files.authority,
            bundle: files.bundle,
            baseURL: baseURL,
            controlURL: controlURL,
            token: nil,
            isIsolated: isIsolated
        )
    }
}

extension ClientEnvironment.TrustFiles {
    /// Writes an authority's certificate into `folder`: alone, and behind the roots that the inherited environment, or
    /// else the system, has.
    package static func write(
        authority pem: String,
        inheriting inherited: [String: String] = ProcessEnvironment.variables,
        to folder: String
    ) throws(DeckError) -> Self {
        let files = Self(
            authority: FilePath.join(folder, "authority.pem"),
            bundle: FilePath.join(folder, "bundle.pem")
        )
        let pem = Array(pem.utf8)
        do {
            try FileContents.makeFolder(folder, mode: 0o700)
            try self.write(pem, to: files.authority)
            try self.write(self.roots(inheriting: inherited, except: files.bundle) + pem, to: files.bundle)
        } catch {
            throw DeckError(error)
        }
        return files
    }

    /// Writes the files of the user's authority to the place that `tapedeck ca env` and a serving deck print: its
    /// folder, or a temporary one if that folder is not writable.
    package static func writeLasting(authority pem: String) throws(DeckError) -> Self {
        do {
            return try self.write(authority: pem, to: FilePath.join(try AuthorityFolder.path(), "trust"))
        } catch {
            return try self.writeTemporary(authority: pem, to: "tapedeck-trust")
        }
    }

    /// Writes them into a folder of this process's own among temporary files.
    ///
    /// - Parameter name: what the folder's name begins with.
    package static func writeTemporary(authority pem: String, to name: String) throws(DeckError) -> Self {
        do {
            return try self.write(authority: pem, to: ProcessEnvironment.temporaryFolder(name))
        } catch {
            throw DeckError("there is no place for temporary files: \(error); name a folder for them with TMPDIR")
        }
    }

    /// A folder with the authority under the names by which OpenSSL looks it up.
    var hashedFolder: String { FilePath.join(FilePath.folder(of: self.bundle), "hashed") }

    /// Removes the files with their folder.
    package func remove() {
        FileContents.removeFolder(self.hashedFolder)
        FileContents.removeFolder(FilePath.folder(of: self.bundle))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        // Mostly the same as at the last start; and what is lost in a power cut is written at the next.
        guard (try? FileContents.read(path)) != bytes else { return }
        try FileContents.replace(path, with: bytes, waitsForDisk: false)
    }

    private static func roots(inheriting inherited: [String: String], except own: String) -> [UInt8] {
        for path in ClientVariables.bundles(inheriting: inherited) where path != own {
            guard var bytes = try? FileContents.read(path) else { continue }
            if bytes.last != 0x0A { bytes.append(0x0A) }
            return bytes
        }
        return []
    }
}
