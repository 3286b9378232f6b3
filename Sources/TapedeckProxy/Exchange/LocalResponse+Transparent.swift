import TapedeckCore
import TapedeckSessions

/// The refusals of a transparent listener.
extension LocalResponse {
    /// RFC 9110 section 15.5.20.
    static func misdirected(_ origin: Origin, _ route: TransparentRoute) -> LocalResponse {
        let way = route.serverName.map { "the TLS connection is for \($0)" } ?? "the connection is without TLS"
        return self.transparent(
            421,
            "misdirectedRequest",
            "The request is for \(origin), and \(way): ask for each origin on a connection of its own."
        )
    }

    /// A request that says for which host it is neither by TLS nor by Host.
    static let unnamedOrigin = Self.transparent(
        400,
        "malformedRequest",
        "The request names no host: here its origin is taken from the field Host."
    )

    static func noTunnels(_ route: TransparentRoute) -> LocalResponse {
        self.transparent(
            405,
            "noTunnels",
            "There are no tunnels here: this port stands for the origins themselves. The proxy has the port "
                + "\(route.port.proxyPort).",
            [HeaderField("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")]
        )
    }

    /// The refusal of a request whose origin is the deck itself.
    static func leadsHere(_ origin: Origin) -> LocalResponse {
        self.transparent(508, "loop", "Tapedeck cannot ask \(origin): \(self.loop(origin)).")
    }

    /// Explains why an origin cannot be contacted whose name leads to the deck, with advice.
    static func loop(_ origin: Origin) -> String {
        let host = origin.bracketedHost
        return
            "for this machine too \(host) is the deck itself, so the request would go round for ever; start Tapedeck "
            + "with --resolve \(host):\(origin.port):ADDRESS, or with --upstream-proxy URL"
    }

    private static func transparent(
        _ status: Int,
        _ error: String,
        _ message: String,
        _ headers: [HeaderField] = []
    ) -> LocalResponse {
        LocalResponse(
            status: status,
            json: .object([("error", .string(error)), ("message", .string(message))]),
            headers: [HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Reason", error)] + headers
        )
    }
}
