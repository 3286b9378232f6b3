import HTTPTypes
import Hummingbird
import NIOCore
import TapedeckCore

/// The live page, and the description of the API.
enum PageRoutes {
    static let all: [ControlRoute] =
        PageAssets.files.sorted { $0.key < $1.key }.map { path, asset in
            ControlRoute(.get, path) { Self.response(asset, to: $0.request) }
        } + [
            ControlRoute(.get, "/trust") { call in
                let deck = call.deck
                let page = PageAssets.trustPage(
                    authorityDER: deck.authorityDER,
                    expires: deck.authorityExpires,
                    proxyURL: Self.proxyURL(deck.proxyURL, host: call.request.head.authority)
                )
                return Self.response(PageAssets.Asset(page, "text/html; charset=utf-8"), to: call.request)
            },
            // The links of the page about trust, which the proxy serves as well.
            ControlRoute(.get, "/ca.pem") { DeckRoutes.authorityPEM($0) },
            ControlRoute(.get, "/ca.der") { DeckRoutes.authorityDER($0) },
            ControlRoute(.get, "/openapi.json") { Self.response(PageAssets.description, to: $0.request) },
        ]

    /// Returns the proxy's URL for the client: a deck that listens on every address has a loopback URL, which is
    /// useless from another machine.
    static func proxyURL(_ url: String, host: String?) -> String {
        guard let own = Origin.split(authority: url.dropFirst("http://".count)), let port = own.port,
            let asked = host.flatMap({ Origin.split(authority: $0)?.host }),
            LoopbackHost.contains(own.host), !LoopbackHost.contains(asked)
        else { return url }
        return "http://\(asked.contains(":") ? "[\(asked)]" : asked):\(port)"
    }

    /// A file that the browser may keep, but asks about each time.
    private static func response(_ asset: PageAssets.Asset, to request: Request) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-cache", .eTag: asset.tag]
        headers[.contentSecurityPolicy] = PageAssets.policy
        headers[.referrerPolicy] = "no-referrer"
        let known = request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        if known.contains(where: { $0.filter { $0 != " " } == asset.tag || $0.filter { $0 != " " } == "*" }) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = asset.mediaType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}

extension HTTPField.Name {
    // A header name (RFC 9110 section 5.1), so the initialiser never fails.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .server
}
