import TapedeckControlAPI

/// The way to a deck's proxy port, and the session that what goes there belongs to.
package struct ProxyRoute: Sendable, Hashable {
    /// A name or an address, without brackets.
    package let host: String
    package let port: Int
    /// `ID:TOKEN`, or only `ID` if the deck requires no token.
    package let sessionKey: String

    package init(host: String, port: Int, sessionKey: String) {
        self.host = host
        self.port = port
        self.sessionKey = sessionKey
    }

    /// The host with its port, as in a URL.
    package var authority: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }

    /// The proxy URL for a client, with the session's key in its credentials: `http://ID:TOKEN@HOST:PORT`, or
    /// `http://ID:@HOST:PORT` without a token. The colon stays, as some clients drop credentials without a password.
    package var proxyURL: String {
        let parts = self.sessionKey.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let token = parts.count > 1 ? URLPart.encoded(String(parts[1])) : ""
        return "http://\(URLPart.encoded(String(parts.first ?? ""))):\(token)@\(self.authority)"
    }

    /// Returns the URL that stands for an origin, or for any URL of it, for clients that only have a base URL:
    /// `http://HOST:PORT/.tapedeck/KEY/https/api.example.com`. Paths are appended to it.
    ///
    /// - Parameter url: an `http://` or `https://` URL; a path and a query are kept, except a path that is only a
    ///   slash.
    /// - Returns: `nil` if `url` is not http or https, or has a user name.
    package func baseURL(for url: String) -> String? {
        guard let separator = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let path = rest[authority.endIndex...]
        let base = "http://\(self.authority)/.tapedeck/\(URLPart.encoded(self.sessionKey))/\(scheme)/\(authority)"
        return base + (path == "/" ? "" : path)
    }
}
