import TapedeckCore

/// The response to a client beyond a limit.
package struct LimitRefusal: Sendable {
    package enum Kind: String, Sendable {
        case tooManyConnections
        case tooManyRequests
    }

    let kind: Kind
    /// The session whose limit it is; `nil` is the deck's.
    let session: String?
    let limit: Int

    package init(kind: Kind, session: String?, limit: Int) {
        self.kind = kind
        self.session = session
        self.limit = limit
    }

    private var things: String { self.kind == .tooManyConnections ? "connections" : "unanswered requests" }

    private var option: String {
        switch self.kind {
        case .tooManyConnections: self.session == nil ? "--max-connections" : "--max-session-connections"
        case .tooManyRequests: self.session == nil ? "--max-requests" : "--max-session-requests"
        }
    }

    /// A short text of the reason.
    package var reason: String {
        let whose = self.session.map { "the session \($0)" } ?? "this deck"
        return "\(whose) has \(self.limit) \(self.things), and accepts no more (\(self.option))"
    }

    /// RFC 6585 section 4 has 429 for a client that asks too much; where all clients together do, it is 503 (RFC 9110
    /// section 15.6.4), as it is for connections.
    private var status: Int { self.kind == .tooManyRequests && self.session != nil ? 429 : 503 }

    package var answer: LocalResponse {
        let things = self.kind == .tooManyConnections ? "connections" : "requests"
        let message = self.reason.prefix(1).uppercased() + self.reason.dropFirst()
        var json: [(String, JSONText)] = [
            ("error", .string(self.kind.rawValue)),
            ("message", .string("\(message). Ask again when some have ended, or raise the limit.")),
            ("limit", .int(self.limit)),
            ("option", .string(self.option)),
        ]
        if let session = self.session { json.append(("session", .string(session))) }
        return LocalResponse(
            status: self.status,
            // Clients print the phrase when a CONNECT fails.
            phrase: "Too many \(things) of \(self.session.map { "Tapedeck session \($0)" } ?? "Tapedeck")",
            json: .object(json),
            headers: [
                HeaderField("Cache-Control", "no-store"), HeaderField("Retry-After", "1"),
                HeaderField("X-Tapedeck-Reason", self.reason),
            ]
        )
    }
}
