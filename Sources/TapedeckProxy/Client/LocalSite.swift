package import TapedeckCore
import TapedeckSessions

/// A page that the proxy serves itself at `http://tapedeck.local/`.
package struct LocalPage: Sendable {
    /// The value of Content-Type.
    package var mediaType: String
    package var body: [UInt8]
    /// Further header fields.
    package var headers: [HeaderField]

    package init(mediaType: String, body: [UInt8], headers: [HeaderField] = []) {
        self.mediaType = mediaType
        self.body = body
        self.headers = headers
    }
}

/// `http://tapedeck.local/`: what a client that has the proxy can read without knowing anything else, in every mode
/// and without a session. It is on no tape and in no journal, and nothing is ever forwarded for it.
enum LocalSite {
    private static let host = "tapedeck.local"

    static func contains(_ origin: Origin) -> Bool {
        origin.scheme == .http && origin.port == Origin.Scheme.http.defaultPort && origin.host == self.host
    }

    /// - Parameter target: path and query.
    static func answer(_ target: String, method: String, pages: [String: LocalPage]) -> LocalResponse {
        guard method == "GET" || method == "HEAD" else {
            return self.text(405, "This page can only be read.", [HeaderField("Allow", "GET, HEAD")])
        }
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        guard let page = pages[path.isEmpty ? "/" : path] else {
            let paths = pages.keys.sorted().map { "http://\(self.host)\($0)\n" }.joined()
            return self.text(
                404,
                paths.isEmpty ? "There is no such page." : "There is no such page. There are:\n\(paths)"
            )
        }
        return LocalResponse(status: 200, mediaType: page.mediaType, body: page.body, headers: page.headers)
    }

    private static func text(_ status: Int, _ text: String, _ headers: [HeaderField] = []) -> LocalResponse {
        LocalResponse(
            status: status,
            mediaType: "text/plain; charset=utf-8",
            body: Array("\(text)\n".utf8),
            headers: headers + [HeaderField("Cache-Control", "no-store")]
        )
    }
}
