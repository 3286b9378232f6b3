import TapedeckCore

/// The reason why no session answers a request. Another session never answers it instead.
package struct SessionRefusal: Error, Sendable, Equatable {
    /// A word for programs.
    package enum Reason: String, Sendable {
        case unknownSession
        case sessionEnded
        /// Also where a token is needed and none was given.
        case wrongToken
        case sessionRequired
    }

    var reason: Reason
    var status: Int
    /// The status line's phrase: what clients print when a CONNECT fails.
    var phrase: String
    /// The reason, and what to do about it.
    package var message: String

    /// - Parameter foreign: see ``SessionDirectory/foreignDeck(of:)``.
    static func unknown(_ id: String, _ foreign: SessionDirectory.ForeignDeck? = nil) -> SessionRefusal {
        let id = self.visible(id)
        return SessionRefusal(
            reason: .unknownSession,
            status: 404,
            phrase: "No Tapedeck session \(id)",
            message: foreign.map { "There is no session \(id) here: \($0)." }
                ?? "There is no session \(id). Make one with `tapedeck session create`, or correct the session key "
                + "that the client sends."
        )
    }

    /// Proxy credentials that hold no key.
    static let unreadable = SessionRefusal(
        reason: .unknownSession,
        status: 400,
        phrase: "No Tapedeck session in the proxy credentials",
        message: "The proxy credentials name no session, as they are not of the scheme Basic. Set the proxy as "
            + "http://ID:TOKEN@HOST:PORT, or send none."
    )

    package static func ended(_ id: String) -> SessionRefusal {
        let id = self.visible(id)
        return SessionRefusal(
            reason: .sessionEnded,
            status: 410,
            phrase: "Tapedeck session \(id) has ended",
            message: "The session \(id) has ended. Make another one with `tapedeck session create`; idle sessions live "
                + "longer with --session-ttl."
        )
    }

    static func wrongToken(_ id: String) -> SessionRefusal {
        let id = self.visible(id)
        return SessionRefusal(
            reason: .wrongToken,
            status: 403,
            phrase: "Wrong token for Tapedeck session \(id)",
            message: "The token is not that of the session \(id). Use the key ID:TOKEN that came with the session."
        )
    }

    /// - Parameter isProxied: true if the client can be asked for proxy credentials (RFC 9110 section 15.5.8).
    static func tokenRequired(_ id: String, isProxied: Bool) -> SessionRefusal {
        let id = self.visible(id)
        return SessionRefusal(
            reason: .wrongToken,
            status: isProxied ? 407 : 403,
            phrase: "Token required for Tapedeck session \(id)",
            message: "This deck takes a session only with its token: send X-Tapedeck-Session: \(id):TOKEN, or set the "
                + "proxy as http://\(id):TOKEN@HOST:PORT."
        )
    }

    /// - Parameter isProxied: true if the client can be asked for proxy credentials (RFC 9110 section 15.5.8).
    static func required(isProxied: Bool) -> SessionRefusal {
        SessionRefusal(
            reason: .sessionRequired,
            status: isProxied ? 407 : 400,
            phrase: "Tapedeck session required",
            message:
                "This deck answers only requests that name a session: send X-Tapedeck-Session: ID:TOKEN, or set the "
                + "proxy as http://ID:TOKEN@HOST:PORT. `tapedeck session create` makes one."
        )
    }

    package var answer: LocalResponse {
        var headers = [
            HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Session-Error", self.reason.rawValue),
        ]
        if self.status == 407 {
            headers.append(HeaderField("Proxy-Authenticate", "Basic realm=\"Tapedeck session\""))
        }
        return LocalResponse(
            status: self.status,
            phrase: self.phrase,
            json: .object([("error", .string(self.reason.rawValue)), ("message", .string(self.message))]),
            headers: headers
        )
    }

    /// Returns a client's text for a status line: visible ASCII, at most 64 characters.
    private static func visible(_ id: String) -> String {
        let text = id.unicodeScalars.prefix(64).map { scalar in
            scalar.value > 0x20 && scalar.value < 0x7F ? Character(scalar) : "?"
        }
        return text.isEmpty ? "(none)" : String(text)
    }
}
