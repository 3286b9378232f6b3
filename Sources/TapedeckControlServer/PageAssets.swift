import TapedeckAssets
import TapedeckTLS

/// The live page's files, which are part of the program.
package enum PageAssets {
    struct Asset: Sendable {
        var bytes: [UInt8]
        var mediaType: String
        /// Changes with the bytes.
        var tag: String

        init(_ bytes: [UInt8], _ mediaType: String) {
            self.bytes = bytes
            self.mediaType = mediaType
            self.tag = "\"\(SHA256.hexDigest(of: bytes).prefix(16))\""
        }
    }

    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let icon = "image/svg+xml"

    private static let folder = "TapedeckControlServer/Page"
    /// Served with values of the deck in it, by ``trustPage(authorityDER:expires:proxyURL:)``.
    private static let trustTemplate = "trust.html"

    /// By path.
    static let files: [String: Asset] = {
        var files: [String: Asset] = [:]
        for (name, bytes) in Assets.folder(Self.folder) where name != Self.trustTemplate {
            files[name == "index.html" ? "/" : "/" + name] = Asset(bytes, Self.mediaType(of: name))
        }
        return files
    }()

    static let description = Asset(Assets.file("TapedeckControlServer/openapi.json"), "application/json")

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": Self.html
        case "css": Self.css
        case "js": "text/javascript; charset=utf-8"
        case "svg": Self.icon
        default: "application/octet-stream"
        }
    }

    static let paths = Set(Self.files.keys).union(["/trust", "/ca.pem", "/ca.der"])

    /// Only the deck's own files, no inline scripts or styles, and no embedding in another page.
    static let policy =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

    // MARK: Trust

    /// The page that helps to trust the certificate authority.
    static func trustPage(authorityDER: [UInt8], expires: String, proxyURL: String) -> [UInt8] {
        let digest = Array(SHA256.hexDigest(of: authorityDER).uppercased())
        let fingerprint = stride(from: 0, to: digest.count, by: 2).map { String(digest[$0..<($0 + 2)]) }
        var text = String(decoding: Assets.file("\(Self.folder)/\(Self.trustTemplate)"), as: UTF8.self)
        for (name, value) in [
            ("fingerprint", fingerprint.joined(separator: ":")), ("notAfter", expires), ("proxyURL", proxyURL),
        ] {
            text = text.split(separator: "{{\(name)}}", omittingEmptySubsequences: false)
                .joined(separator: Self.escaped(value))
        }
        return Array(text.utf8)
    }

    private static func escaped(_ text: String) -> String {
        String(
            text.flatMap { character in
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                case "\"": "&quot;"
                default: String(character)
                }
            }
        )
    }

    /// The page that the proxy serves at `http://tapedeck.local/`, to clients that do not trust the authority yet.
    package static func trustSite(
        authorityPEM: String,
        authorityDER: [UInt8],
        expires: String,
        proxyURL: String
    ) -> [(path: String, mediaType: String, bytes: [UInt8])] {
        [
            ("/", Self.html, self.trustPage(authorityDER: authorityDER, expires: expires, proxyURL: proxyURL)),
            ("/ca.pem", "application/x-pem-file", Array(authorityPEM.utf8)),
            ("/ca.der", "application/x-x509-ca-cert", authorityDER),
            ("/page.css", Self.css, Assets.file("\(Self.folder)/page.css")),
            ("/icon.svg", Self.icon, Assets.file("\(Self.folder)/icon.svg")),
        ]
    }
}
