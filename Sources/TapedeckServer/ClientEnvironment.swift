import TapedeckCassettes

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

    /// Variables that replace a program's roots.
    private static let replacing = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HTTPLIB2_CA_CERTS", "NIX_SSL_CERT_FILE", "PERL_LWP_SSL_CA_FILE",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "CARGO_HTTP_CAINFO", "npm_config_cafile",
    ]
    /// Variables that add to a program's roots.
    private static let adding = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
    /// Programs read one case or the other.
    private static let proxying = ["http_proxy", "https_proxy", "all_proxy"]
    /// With these set, some programs take HTTP_PROXY for an attack (CVE-2016-5385) and ignore it.
    private static let misleading = ["REQUEST_METHOD", "GATEWAY_INTERFACE"]

    /// The variables that make programs trust the deck.
    package static func trust(_ files: TrustFiles) -> [(name: String, value: String)] {
        self.replacing.map { ($0, files.bundle) } + self.adding.map { ($0, files.authority) }
    }

    /// The variables that send traffic to `proxy`.
    package static func proxy(_ proxy: String) -> [(name: String, value: String)] {
        let both = self.proxying.flatMap { [($0, proxy), ($0.uppercased(), proxy)] }
        // An inherited exception would lead past the deck.
        return both + [("no_proxy", ""), ("NO_PROXY", ""), ("NODE_USE_ENV_PROXY", "1")]
    }

    /// The environment of a child, from the one that Tapedeck was given.
    ///
    /// - Parameters:
    ///   - proxy: with the token, where the deck wants one.
    ///   - baseURL: where a reverse listener is, if there is one.
    ///   - controlURL: where the deck is steered. Without, no other deck that the environment names is taken for it.
    ///   - token: what steers the deck, if it has one.
    package static func child(
        inheriting inherited: [String: String],
        proxy: String,
        baseURL: String?,
        controlURL: String?,
        token: DeckToken?,
        trust files: TrustFiles
    ) -> [String: String] {
        var environment = inherited
        for name in self.misleading { environment[name] = nil }
        for (name, value) in self.proxy(proxy) + self.trust(files) { environment[name] = value }
        environment["TAPEDECK_PROXY"] = proxy
        environment["TAPEDECK_BASE_URL"] = baseURL
        environment["TAPEDECK_URL"] = controlURL
        // A session of another deck's is none of this one's.
        environment["TAPEDECK_SESSION"] = nil
        environment["TAPEDECK_TOKEN"] = controlURL == nil ? nil : token?.value
        return environment
    }
}

extension ClientEnvironment.TrustFiles {
    /// Where distributions keep the system's roots.
    private static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem", "/opt/homebrew/etc/openssl@3/cert.pem",
    ]

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

    /// The files of the user's authority, which stay where `tapedeck ca env` and a deck that serves say they are: beside
    /// it, or among temporary files where that folder cannot be written to.
    package static func writeLasting(authority pem: String) throws(DeckError) -> Self {
        do {
            return try self.write(authority: pem, to: FilePath.join(try AuthorityFolder.path(), "trust"))
        } catch {
            return try self.write(authority: pem, to: ProcessEnvironment.temporaryFolder("tapedeck-trust"))
        }
    }

    /// Removes the files with their folder.
    package func remove() {
        FileContents.removeFolder(FilePath.folder(of: self.bundle))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        // Mostly the same as at the last start; and what is lost in a power cut is written at the next.
        guard (try? FileContents.read(path)) != bytes else { return }
        try FileContents.replace(path, with: bytes, waitsForDisk: false)
    }

    private static func roots(inheriting inherited: [String: String], except own: String) -> [UInt8] {
        let candidates = [inherited["SSL_CERT_FILE"], inherited["CURL_CA_BUNDLE"]].compactMap { $0 }
        for path in candidates + self.systemBundles where !path.isEmpty && path != own {
            guard var bytes = try? FileContents.read(path) else { continue }
            if bytes.last != 0x0A { bytes.append(0x0A) }
            return bytes
        }
        return []
    }
}
