import TapedeckAssets
package import TapedeckCassettes
import TapedeckTLS

/// Small files for programs that ignore the proxy variables or the variables of certificate bundles, and the environment
/// variables that name the files.
///
/// A variable that the user has set keeps its value, and ours is added behind it.
package struct ClientFiles {
    /// The name of the trust store for Java.
    static let javaStore = "trust.p12"

    /// The files, by name; they lie in one folder.
    private(set) var files: [(name: String, bytes: [UInt8])]
    /// The variables that name them.
    package private(set) var variables: [String: String]

    /// Makes the files for one deck.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files.
    ///   - proxy: the host and port of the deck; `nil` for programs whose connections all lead to the deck anyway.
    ///   - trust: the certificate files for the deck's children.
    ///   - inherited: the environment that the variables are added to.
    ///   - javaStore: returns the trust store for Java with the certificates of a bundle.
    ///   - contents: returns the text of a system file, such as `/etc/wgetrc`; `nil` if it cannot be read.
    package init(
        in folder: String,
        proxy: (host: String, port: Int)?,
        trust: ClientEnvironment.TrustFiles,
        inheriting inherited: [String: String],
        javaStore: ([UInt8]) throws -> [UInt8],
        contents: (String) -> [UInt8]?
    ) throws {
        func path(_ name: String) -> String { FilePath.join(folder, name) }
        let bundle = contents(trust.bundle) ?? []
        /// Puts settings behind those of the file that the variable names, or else the default file.
        func extended(_ variable: String, _ defaultPath: String?, _ lines: String) -> [UInt8] {
            let named = inherited[variable].flatMap { $0.isEmpty ? nil : $0 } ?? defaultPath
            var bytes = named.flatMap(contents) ?? []
            if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
            return bytes + Array(lines.utf8)
        }
        self.files = Assets.folder("TapedeckDeck/ClientFiles/Hooks")
        self.files += [
            (
                "tapedeck.ini",
                Array(Self.phpSettings(bundle: trust.bundle, prepending: proxy.map { _ in path("prepend.php") }).utf8)
            ),
            ("wgetrc", extended("SYSTEM_WGETRC", "/etc/wgetrc", "ca_certificate = \(trust.bundle)\n")),
            ("wget2rc", extended("SYSTEM_WGET2RC", "/etc/wget2rc", "ca-certificate = \(trust.bundle)\n")),
            ("apt.conf", extended("APT_CONFIG", nil, "Acquire::https::CAInfo \"\(trust.bundle)\";\n")),
            (Self.javaStore, try javaStore(bundle)),
        ]
        self.variables = [
            "SYSTEM_WGETRC": path("wgetrc"),
            "SYSTEM_WGET2RC": path("wget2rc"),
            "APT_CONFIG": path("apt.conf"),
            // An empty folder name means PHP's default.
            "PHP_INI_SCAN_DIR": (inherited["PHP_INI_SCAN_DIR"] ?? "") + ":" + folder,
            "JAVA_TOOL_OPTIONS": Self.joined(
                inherited["JAVA_TOOL_OPTIONS"],
                " ",
                Self.javaOptions(proxy: proxy, trustStore: path(Self.javaStore))
            ),
            // A folder whose PEM files are trusted: that of the bundle.
            "GUILE_TLS_CERTIFICATE_DIRECTORY": folder,
            "DART_VM_OPTIONS": Self.joined(inherited["DART_VM_OPTIONS"], ",", "--root-certs-file=\(trust.bundle)"),
            "ERL_AFLAGS": Self.joined(
                inherited["ERL_AFLAGS"],
                " ",
                "-public_key cacerts_path '\"\(trust.bundle)\"'"
            ),
        ]
        if proxy != nil {
            self.variables["NODE_OPTIONS"] = Self.joined(
                inherited["NODE_OPTIONS"],
                " ",
                "--require=\(Self.quoted(path("preload.cjs")))"
            )
        }
    }

    /// Writes the files into the folder of the certificate files, with which they are removed. Returns the variables
    /// that name them.
    ///
    /// - Parameter proxy: the host and port of the deck; `nil` for programs whose connections all lead to the deck
    ///   anyway.
    package static func write(
        proxy: (host: String, port: Int)?,
        trust: ClientEnvironment.TrustFiles,
        inheriting inherited: [String: String] = ProcessEnvironment.variables
    ) throws(DeckError) -> [String: String] {
        let folder = FilePath.folder(of: trust.bundle)
        do {
            let kept = (try? AuthorityFolder.path()).map { FilePath.join($0, "trust") }
            let made = try Self(
                in: folder,
                proxy: proxy,
                trust: trust,
                inheriting: inherited,
                javaStore: { try KeptTrustStore.bytes(for: $0, in: kept) },
                contents: { try? FileContents.read($0) }
            )
            for (name, bytes) in made.files {
                try FileContents.replace(FilePath.join(folder, name), with: bytes, waitsForDisk: false)
            }
            return made.variables
        } catch {
            throw DeckError(error)
        }
    }

    // MARK: Texts

    private static func phpSettings(bundle: String, prepending hook: String?) -> String {
        var lines = ["curl.cainfo = \"\(bundle)\"", "openssl.cafile = \"\(bundle)\""]
        if let hook { lines.append("auto_prepend_file = \"\(hook)\"") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// System properties that `HttpURLConnection`, `HttpClient` and other clients of the JVM read. Without the empty
    /// `nonProxyHosts` they send requests for localhost straight there.
    private static func javaOptions(proxy: (host: String, port: Int)?, trustStore: String) -> String {
        var proxies: [String] = []
        if let proxy {
            proxies = ["http", "https"].flatMap { scheme in
                ["-D\(scheme).proxyHost=\(proxy.host)", "-D\(scheme).proxyPort=\(proxy.port)"]
            }
            proxies.append("-Dhttp.nonProxyHosts=")
        }
        let store = [
            "-Djavax.net.ssl.trustStore=\"\(trustStore)\"",
            "-Djavax.net.ssl.trustStoreType=PKCS12",
            "-Djavax.net.ssl.trustStorePassword=\(JavaTrustStore.password)",
        ]
        return (proxies + store).joined(separator: " ")
    }

    private static func joined(_ inherited: String?, _ separator: String, _ ours: String) -> String {
        guard let inherited, !inherited.isEmpty else { return ours }
        return inherited + separator + ours
    }

    /// Quotes a path as Node reads it in `NODE_OPTIONS`.
    private static func quoted(_ path: String) -> String {
        "\"" + path.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}
