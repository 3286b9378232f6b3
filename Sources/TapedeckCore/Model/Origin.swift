/// Scheme, host and port a request is meant for (RFC 9110 section 4.3.1).
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package enum Scheme: String, Sendable, Hashable {
        case http
        case https

        /// The port that goes without saying.
        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    package let scheme: Scheme
    /// A name or an IP address in lower case, without a final dot; IPv6 without its brackets.
    package let host: String
    package let port: Int

    package init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        // A final dot says that the name is complete (RFC 1034 section 3.1), as names in URLs are.
        self.host = ASCII.lowercased(host.utf8.last == 0x2E && host.utf8.count > 1 ? String(host.dropLast()) : host)
        self.port = port ?? scheme.defaultPort
    }

    /// The origin of `scheme://authority`; `nil` when the authority is not `host[:port]` (RFC 3986 section 3.2, user
    /// information refused).
    package init?(scheme: Scheme, authority: some StringProtocol) {
        guard let (host, port) = Self.split(authority: authority) else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }

    /// Returns the origin of `http(s)://host[:port]`, optionally followed by a slash.
    package init?(_ text: String) {
        guard let url = AbsoluteURL(text), url.target == "/" else { return nil }
        self = url.origin
    }

    /// `host`, or `host:port` where the port is not the scheme's own, as a Host header has it.
    package var authority: String {
        self.port == self.scheme.defaultPort ? self.bracketedHost : "\(self.bracketedHost):\(self.port)"
    }

    /// The host as in a URL: IPv6 addresses in brackets.
    package var bracketedHost: String {
        self.host.utf8.contains(ASCII.colon) ? "[\(self.host)]" : self.host
    }

    package var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    /// Host and port of an authority; `nil` when it is neither.
    package static func split(authority: some StringProtocol) -> (host: String, port: Int?)? {
        var text = String(authority)
        return text.withUTF8 { self.split(authority: UnsafeRawBufferPointer($0)) }
    }

    static func split(authority bytes: UnsafeRawBufferPointer) -> (host: String, port: Int?)? {
        var hostStart = 0
        var hostEnd = bytes.count
        var portStart = bytes.count
        if bytes.first == ASCII.openBracket {
            guard let close = bytes.firstIndex(of: ASCII.closeBracket) else { return nil }
            hostStart = 1
            hostEnd = close
            portStart = close + 1
            guard portStart == bytes.count || bytes[portStart] == ASCII.colon,
                bytes[hostStart..<hostEnd].contains(ASCII.colon),
                bytes[hostStart..<hostEnd].allSatisfy({ ASCII.hexValue($0) != nil || $0 == ASCII.colon || $0 == 0x2E })
            else { return nil }
        } else {
            if let colon = bytes.lastIndex(of: ASCII.colon) {
                hostEnd = colon
                portStart = colon
            }
            guard bytes[..<hostEnd].allSatisfy(Self.isHostByte) else { return nil }
        }
        guard hostEnd > hostStart else { return nil }
        let host = String(decoding: bytes[hostStart..<hostEnd], as: UTF8.self)
        let digits = bytes[portStart...].dropFirst()
        // An empty port is the same as none (RFC 3986 section 6.2.3).
        guard !digits.isEmpty else { return (host, nil) }
        guard digits.count <= 5, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (1...65_535).contains(port) ? (host, port) : nil
    }

    /// Letters, digits, `-`, `.`, `_`, `~` and percent signs; what else RFC 3986 allows in a registered name has no
    /// use on the internet and much in an attack.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || byte == ASCII.percent
    }
}

/// An absolute http or https URL, parsed as far as matching needs.
package struct AbsoluteURL: Sendable, Hashable, CustomStringConvertible {
    package var origin: Origin
    /// Path and query as they were written, without the fragment; begins with `/`.
    package var target: String

    package init(origin: Origin, target: String) {
        self.origin = origin
        self.target = target
    }

    /// Returns `nil` if the text is not an `http://` or `https://` URL.
    package init?(_ text: String) {
        var text = text
        guard let url = text.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = url
    }

    private init?(_ bytes: UnsafeRawBufferPointer) {
        let scheme: Origin.Scheme
        if Self.hasPrefix(bytes, "https://") {
            scheme = .https
        } else if Self.hasPrefix(bytes, "http://") {
            scheme = .http
        } else {
            return nil
        }
        let start = scheme.rawValue.utf8.count + 3
        var end = start
        while end < bytes.count, bytes[end] != ASCII.slash, bytes[end] != ASCII.question, bytes[end] != ASCII.hash {
            end += 1
        }
        guard let (host, port) = Origin.split(authority: UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else {
            return nil
        }
        self.origin = Origin(scheme: scheme, host: host, port: port)
        let target = bytes[end...].prefix { $0 != ASCII.hash }
        self.target = (target.first == ASCII.slash ? "" : "/") + String(decoding: target, as: UTF8.self)
    }

    private static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
        return (0..<prefix.utf8CodeUnitCount).allSatisfy { ASCII.lowercased(bytes[$0]) == prefix.utf8Start[$0] }
    }

    package var description: String { "\(self.origin)\(self.target)" }

    /// The path without the query.
    package var path: String { String(self.target.prefix { $0 != "?" }) }

    /// The query without its question mark, or `nil`.
    package var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }
}
