/// The way to a deck's proxy port, and the session that what goes there belongs to.
package struct ProxyRoute: Sendable, Hashable {
    /// A name or an address, without brackets.
    package let host: String
    package let port: Int
    /// `ID:TOKEN`, or `ID` alone where the deck asks for no token.
    package let sessionKey: String

    package init(host: String, port: Int, sessionKey: String) {
        self.host = host
        self.port = port
        self.sessionKey = sessionKey
    }

    /// The host with its port, as it stands in a URL.
    package var authority: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }

    /// What a client is given as its proxy, the session's key in its credentials: `http://ID:TOKEN@HOST:PORT`.
    package var proxyURL: String {
        let parts = self.sessionKey.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return "http://\(parts.map { Self.encoded(String($0)) }.joined(separator: ":"))@\(self.authority)"
    }

    /// The text of the URL that stands for an origin, or for any URL of it, to clients that take a base URL and nothing
    /// else: `http://HOST:PORT/.tapedeck/KEY/https/api.example.com`. Paths are appended to it.
    ///
    /// - Parameter url: an `http://` or `https://` URL; a path and a query go along, a slash that is the whole path does
    ///   not.
    /// - Returns: `nil` where `url` is none of http or https, or holds a user name.
    package func baseURL(for url: String) -> String? {
        guard let separator = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let path = rest[authority.endIndex...]
        let base = "http://\(self.authority)/.tapedeck/\(Self.encoded(self.sessionKey))/\(scheme)/\(authority)"
        return base + (path == "/" ? "" : path)
    }

    /// Percent-encodes what is no unreserved character (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
