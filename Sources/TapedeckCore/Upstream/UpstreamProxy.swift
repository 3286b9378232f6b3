/// A proxy between this machine and origins, such as that of a company's network.
///
/// Descriptions do not contain its credentials.
package struct UpstreamProxy: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// A user name and its password, which may be empty.
    package struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        package let user: String
        package let password: String

        package var description: String { "credentials" }
        package var debugDescription: String { self.description }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Scheme (whether TLS is spoken with the proxy itself), host and port.
    package let origin: Origin
    package let credentials: Credentials?

    /// `http://[USER:PASSWORD@]HOST[:PORT]`, or the same with `https`; without a scheme it is http. User name and
    /// password may be percent-encoded. A path means nothing.
    ///
    /// - Parameter source: what the text was found in, for the error's text; the text itself may hold a password.
    /// - Throws: ``UpstreamOptionError``.
    package init(_ text: String, from source: String) throws(UpstreamOptionError) {
        var rest = text[...]
        var scheme = Origin.Scheme.http
        if let separator = rest.firstRange(of: "://") {
            let name = ASCII.lowercased(String(rest[..<separator.lowerBound]))
            guard let known = Origin.Scheme(rawValue: name) else { throw Self.unknown(name, source) }
            scheme = known
            rest = rest[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var credentials: Credentials?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = parts.first.flatMap(PercentEncoding.text),
                let password = PercentEncoding.text(parts.count > 1 ? parts[1] : "")
            else {
                throw UpstreamOptionError(
                    "the user name or password of the proxy in \(source) is not well percent-encoded: write % as %25, "
                        + "@ as %40, : as %3A and / as %2F"
                )
            }
            if !rest[..<at].isEmpty { credentials = Credentials(user: user, password: password) }
            rest = rest[rest.index(after: at)...]
        }
        guard let origin = Origin(scheme: scheme, authority: rest) else {
            throw UpstreamOptionError("\(source) names no proxy; write it as http://[USER:PASSWORD@]HOST:PORT")
        }
        self.origin = origin
        self.credentials = credentials
    }

    private static func unknown(_ scheme: String, _ source: String) -> UpstreamOptionError {
        let problem =
            scheme.hasPrefix("socks")
            ? "\(source) names a SOCKS proxy, and Tapedeck speaks to HTTP proxies only"
            : "\(source) names no proxy that Tapedeck can speak to"
        return UpstreamOptionError(
            "\(problem); name one with --upstream-proxy http://HOST:PORT, or ask origins directly with --no-upstream-proxy"
        )
    }

    /// True if it is on this machine.
    package var isLocal: Bool { self.origin.isLoopback }

    /// Host and port, without the credentials.
    package var description: String { "\(self.origin.bracketedHost):\(self.origin.port)" }
    package var debugDescription: String { self.description }
    package var customMirror: Mirror { Mirror(self, children: ["origin": self.origin]) }
}

/// An unusable option or setting for upstream connections, with advice.
package struct UpstreamOptionError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
