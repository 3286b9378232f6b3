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
    private static let script = "text/javascript; charset=utf-8"

    /// By path.
    static let files: [String: Asset] = [
        "/": Asset(PackageResources.index_html, Self.html),
        "/page.css": Asset(PackageResources.page_css, Self.css),
        "/icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
        "/page.js": Asset(PackageResources.page_js, Self.script),
        "/actions.js": Asset(PackageResources.actions_js, Self.script),
        "/answers.js": Asset(PackageResources.answers_js, Self.script),
        "/api.js": Asset(PackageResources.api_js, Self.script),
        "/bodies.js": Asset(PackageResources.bodies_js, Self.script),
        "/connect.js": Asset(PackageResources.connect_js, Self.script),
        "/copies.js": Asset(PackageResources.copies_js, Self.script),
        "/detail.js": Asset(PackageResources.detail_js, Self.script),
        "/dom.js": Asset(PackageResources.dom_js, Self.script),
        "/files.js": Asset(PackageResources.files_js, Self.script),
        "/foldable.js": Asset(PackageResources.foldable_js, Self.script),
        "/maker.js": Asset(PackageResources.maker_js, Self.script),
        "/newsession.js": Asset(PackageResources.newsession_js, Self.script),
        "/reader.js": Asset(PackageResources.reader_js, Self.script),
        "/sessions.js": Asset(PackageResources.sessions_js, Self.script),
        "/sets.js": Asset(PackageResources.sets_js, Self.script),
        "/splitter.js": Asset(PackageResources.splitter_js, Self.script),
        "/steering.js": Asset(PackageResources.steering_js, Self.script),
        "/traffic.js": Asset(PackageResources.traffic_js, Self.script),
        "/variants.js": Asset(PackageResources.variants_js, Self.script),
        "/words.js": Asset(PackageResources.words_js, Self.script),
    ]

    static let description = Asset(PackageResources.openapi_json, "application/json")

    static let paths = Set(Self.files.keys).union(["/trust", "/ca.pem", "/ca.der"])

    /// Only the deck's own files, no inline scripts or styles, and no embedding in another page.
    static let policy =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

    // MARK: Trust

    /// The page that helps to trust the certificate authority.
    static func trustPage(authorityDER: [UInt8], expires: String, proxyURL: String) -> [UInt8] {
        let digest = Array(SHA256.hexDigest(of: authorityDER).uppercased())
        let fingerprint = stride(from: 0, to: digest.count, by: 2).map { String(digest[$0..<($0 + 2)]) }
        var text = String(decoding: PackageResources.trust_html, as: UTF8.self)
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
            ("/page.css", Self.css, PackageResources.page_css),
            ("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
        ]
    }
}
