import TapedeckControlAPI
package import TapedeckControlClient

/// A deck that answers, and how clients reach it.
package struct RunningDeck: Sendable {
    package let control: ControlClient
    /// The token for the control API, if it has one.
    let token: String?
    /// The host for clients: a name or an address, without brackets.
    package let proxyHost: String
    package let proxyPort: Int
    /// The certificate authority for clients, as PEM.
    package let certificateAuthority: String
    /// True if the deck uses the test's disk.
    let takesPaths: Bool
    let allowsDialling: Bool
    /// The timeout of the deck's answers: thousands of tests may share its cores, and nothing is wrong then.
    private static let timeout: Duration = .seconds(120)

    /// Asks the deck what it is.
    ///
    /// - Parameter proxy: where clients reach it, `host:port`, if that is not where the deck believes to be.
    init(url: String, token: String?, proxy: String? = nil) throws {
        self.control = try ControlClient(url: url, token: token, timeout: Self.timeout)
        self.token = token
        let deck: DeckModel
        do {
            deck = try self.control.deck()
        } catch {
            guard error.problem?.status == 401 else { throw error }
            let trouble = token == nil ? "wants its token" : "has another token"
            throw TapedeckError(
                .refused,
                "the deck at \(url) \(trouble): give it with `.running(url:token:)`, or with TAPEDECK_TOKEN where "
                    + "TAPEDECK_URL names the deck"
            )
        }
        self.certificateAuthority = try self.control.certificateAuthority()
        guard let address = Self.address(proxy ?? deck.proxyURL) else {
            throw TapedeckError(
                .noDeck,
                "the deck at \(url) has its proxy at \(proxy ?? deck.proxyURL), which is no address"
            )
        }
        // The address that a deck on all addresses reports is reachable only from its own machine.
        let isAnywhere = address.host == "0.0.0.0" || address.host == "::"
        self.proxyHost = isAnywhere ? self.control.host : address.host
        self.proxyPort = address.port
        self.takesPaths = deck.takesPaths ?? false
        self.allowsDialling = deck.allowsDialling
    }

    /// Host and port of `http://user@host:port/`, or of `host:port`.
    package static func address(_ text: String) -> (host: String, port: Int)? {
        var rest = Substring(text)
        if let range = rest.range(of: "://") { rest = rest[range.upperBound...] }
        if let slash = rest.firstIndex(of: "/") { rest = rest[..<slash] }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var host = rest[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (String(host), port)
    }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = self.startIndex
        while start < self.endIndex {
            if self[start...].hasPrefix(text) {
                return start..<self.index(start, offsetBy: text.count)
            }
            start = self.index(after: start)
        }
        return nil
    }
}
