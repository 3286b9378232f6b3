import TapedeckControlAPI

/// Prints how to use a new session.
struct SessionGuide {
    let lines: [String]

    init(_ session: SessionModel, of deck: DeckModel) {
        let cassettes = session.cassettes.isEmpty ? "" : " of \(session.cassettes.joined(separator: ", "))"
        var lines = [
            "session \(session.id) (\(session.mode)\(cassettes)); to end it: tapedeck session end \(session.id)"
        ]
        let token = session.token ?? ""
        let proxy = Self.url(deck.proxyURL, user: "\(session.id):\(token)")
        lines.append("  as a proxy:   export http_proxy=\(proxy) https_proxy=\(proxy) no_proxy=")
        lines.append("  as a header:  X-Tapedeck-Session: \(session.id):\(token)")
        if let port = session.port {
            lines.append("  by its port:  \(Self.url(deck.proxyURL, port: port))")
        }
        lines.append("  to steer it:  export TAPEDECK_SESSION=\(session.id)")
        self.lines = lines
    }

    /// The URL with a user in front of its host.
    private static func url(_ url: String, user: String) -> String {
        url.replacing("://", with: "://\(user)@", maxReplacements: 1)
    }

    /// The URL with another port.
    private static func url(_ url: String, port: Int) -> String {
        guard let colon = url.lastIndex(of: ":") else { return url }
        return "\(url[..<colon]):\(port)"
    }
}
