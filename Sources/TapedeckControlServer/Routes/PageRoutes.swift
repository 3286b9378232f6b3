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
                    proxyURL: Self.proxyURL(deck.proxyURL, host: call.request.host)
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
        var response = Response([
            ("Cache-Control", "no-cache"), ("ETag", asset.tag), ("Content-Security-Policy", PageAssets.policy),
            ("Referrer-Policy", "no-referrer"),
        ])
        let known = (request["If-None-Match"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if known.contains(where: { $0 == asset.tag || $0 == "*" }) {
            response.status = 304
            return response
        }
        response["Content-Type"] = asset.mediaType
        response.body = .bytes(asset.bytes)
        return response
    }
}
