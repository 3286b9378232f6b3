import Logging
import TapedeckCore
import TapedeckHTTP1
import TapedeckPlatform
import TapedeckSessions

/// Requests that use a port of the proxy as a server: for its reverse origin, or by a base URL. A web page can send
/// those. It cannot send an absolute-form target or a CONNECT to a server of its choice, so those are not checked; on a
/// transparent port, Host names an origin, and only base URLs are checked.
extension RequestIntake {
    /// Returns the answer to a request that a page of another site may have sent, or `nil`.
    ///
    /// Most such requests come from programs, and repeat their Host: those cost a comparison of the lengths of field
    /// names and one of the Host.
    func pageOutcome(_ bytes: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer) -> Outcome? {
        self.target.isFromBrowser = false
        guard self.target.isBaseURL || self.asksServer(target) else { return nil }
        var visitor = self.scanner.fields.visitor(bytes)
        self.target.isFromBrowser = visitor.isBrowser
        let host = self.scanner.fields.host.map { UnsafeRawBufferPointer(rebasing: bytes[$0.value]) }
        if !visitor.isBrowser, host.map(self.isAcceptedHost) ?? true { return nil }
        visitor.host = host.map { ByteText.string(from: $0) }
        var rules = self.deck.configuration.pages
        // A client may well take the port for the origin itself, which is a name that no other page has.
        if let reverse = self.doorway.reverseOrigin, !self.target.isBaseURL { rules.names.insert(reverse.host) }
        switch rules.refusal(visitor) {
        case nil:
            if let host, !self.target.isBaseURL { self.acceptedHost = Array(host) }
            return nil
        case .wrongHost:
            return self.refusePage(
                "wrongHost",
                "This deck does not answer to the host \(visitor.host ?? ""): name it by 127.0.0.1 or localhost, or start "
                    + "it with --server-name NAME."
            )
        case .foreignPage:
            return self.refusePage(
                "foreignPage",
                "A web page of another site sent this request. To let the pages of an origin use this deck, start it with "
                    + "--allow-origin ORIGIN; to look at an address yourself, enter it in the browser's address bar."
            )
        }
    }

    /// Returns the answer to a browser that uses the default session by a base URL; `nil` for any other request. Its id
    /// is not secret, and a page that a deck plays shares its browser origin with every base URL of the deck.
    func defaultSessionOutcome(_ session: Session) -> Outcome? {
        guard self.target.isBaseURL, self.target.isFromBrowser, session === self.deck.sessions.default else {
            return nil
        }
        return self.refusePage(
            "sessionRequired",
            "In a browser a base URL must name a session of its own: make one with `tapedeck session create`, and put its "
                + "key in the place of `\(session.id)`."
        )
    }

    /// True for origin form and asterisk form on a port of the proxy (RFC 9112 sections 3.2.1 and 3.2.4).
    private func asksServer(_ target: UnsafeRawBufferPointer) -> Bool {
        if case .proxy = self.route { Self.isOriginForm(target) } else { false }
    }

    private func isAcceptedHost(_ host: UnsafeRawBufferPointer) -> Bool {
        guard host.count == self.acceptedHost.count, !self.target.isBaseURL, let start = host.baseAddress else {
            return false
        }
        return memcmp(self.acceptedHost, start, host.count) == 0
    }

    private func refusePage(_ error: String, _ message: String) -> Outcome {
        self.loop.metrics.count(.none, .refused, microseconds: nil)
        self.deck.log.notice("refused a request of a web page", metadata: ["reason": "\(message)"])
        return .answer(
            LocalResponse(
                status: 403,
                json: .object([("error", .string(error)), ("message", .string(message))]),
                headers: [HeaderField("Cache-Control", "no-store"), HeaderField("X-Tapedeck-Reason", error)]
            )
        )
    }
}
