/// Scheme, host and port a request is meant for (RFC 9110 section 4.3.1).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package enum Scheme: String, Sendable, Hashable {
        case http
        case https

        /// The port that goes without saying.
        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    package let scheme: Scheme
    /// A name or an IP address in lower case; IPv6 without its brackets.
    package let host: String
    package let port: Int

    package init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = ASCII.lowercased(host)
        self.port = port ?? scheme.defaultPort
    }

    /// The origin of `scheme://authority`; `nil` when the authority is not `host[:port]` (RFC 3986 section 3.2, user
    /// information refused).
    package init?(scheme: Scheme, authority: some StringProtocol) {
        guard let (host, port) = Self.split(authority: authority) else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }

    /// The origin named by `http(s)://host[:port]`, with nothing but a slash behind it.
    package init?(_ text: String) {
        guard let url = AbsoluteURL(text), url.target == "/" else { return nil }
        self = url.origin
    }

    /// `host`, or `host:port` where the port is not the scheme's own, as a Host header has it.
    package var authority: String {
        self.port == self.scheme.defaultPort ? self.bracketedHost : "\(self.bracketedHost):\(self.port)"
    }

    /// The host as it stands in a URL: IPv6 addresses in brackets.
    package var bracketedHost: String {
        self.host.utf8.contains(ASCII.colon) ? "[\(self.host)]" : self.host
    }

    package var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    /// Host and port of an authority; `nil` when it is neither.
    package static func split(authority: some StringProtocol) -> (host: String, port: Int?)? {
        var host = Substring(authority)
        var port: Substring?
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else { return nil }
            let rest = host[host.index(after: close)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            host = host[host.index(after: host.startIndex)..<close]
            guard host.contains(":"), host.utf8.allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
            else { return nil }
        } else {
            if let colon = host.lastIndex(of: ":") {
                port = host[host.index(after: colon)...]
                host = host[..<colon]
            }
            guard host.utf8.allSatisfy(Self.isHostByte) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        // An empty port is the same as none (RFC 3986 section 6.2.3).
        guard let port, !port.isEmpty else { return (String(host), nil) }
        guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(port), (1...65_535).contains(number)
        else { return nil }
        return (String(host), number)
    }

    /// Letters, digits, `-`, `.`, `_`, `~` and percent signs; what else RFC 3986 allows in a registered name has no
    /// use on the internet and much in an attack.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || byte == ASCII.percent
    }
}

/// An absolute http or https URL, taken apart as far as matching needs.
package struct AbsoluteURL: Sendable, Hashable, CustomStringConvertible {
    package var origin: Origin
    /// Path and query as they were written, without the fragment; begins with `/`.
    package var target: String

    package init(origin: Origin, target: String) {
        self.origin = origin
        self.target = target
    }

    /// `nil` when the text is no `http://` or `https://` URL.
    package init?(_ text: String) {
        guard let colon = text.range(ofASCII: "://"),
            let scheme = Origin.Scheme(rawValue: ASCII.lowercased(String(text[..<colon.lowerBound])))
        else { return nil }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let origin = Origin(scheme: scheme, authority: authority) else { return nil }
        let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
        self.origin = origin
        self.target = target.first == "/" ? String(target) : "/" + target
    }

    package var description: String { "\(self.origin)\(self.target)" }

    /// The path without the query.
    package var path: String { String(self.target.prefix { $0 != "?" }) }

    /// The query without its question mark; `nil` when there is none.
    package var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }
}

extension String {
    /// Where `needle` first stands.
    fileprivate func range(ofASCII needle: String) -> Range<String.Index>? {
        var start = self.startIndex
        while start < self.endIndex {
            if self[start...].hasPrefix(needle) {
                return start..<self.index(start, offsetBy: needle.count)
            }
            start = self.index(after: start)
        }
        return nil
    }
}
