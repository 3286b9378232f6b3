/// The proxy for each origin, if any.
package struct UpstreamProxies: Sendable, Equatable {
    /// Connects to origins directly.
    package static let none = UpstreamProxies(
        http: nil,
        https: nil,
        exceptions: ProxyExceptions(""),
        isInherited: false
    )

    private let http: UpstreamProxy?
    private let https: UpstreamProxy?
    private let exceptions: ProxyExceptions
    /// True if they come from the environment, and were not named for Tapedeck in particular. One that is this deck
    /// itself is then ignored, because a shell may send all its programs here.
    package let isInherited: Bool

    /// One proxy for all origins.
    package init(_ proxy: UpstreamProxy, exceptions: ProxyExceptions) {
        self.init(http: proxy, https: proxy, exceptions: exceptions, isInherited: false)
    }

    private init(http: UpstreamProxy?, https: UpstreamProxy?, exceptions: ProxyExceptions, isInherited: Bool) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
        self.isInherited = isInherited
    }

    /// Reads the environment as curl does: `http_proxy` in lower case only (a web server could be made to set the other
    /// one with a request's `Proxy` field), `https_proxy` or `HTTPS_PROXY`, and for both `all_proxy` or `ALL_PROXY`.
    ///
    /// - Throws: ``UpstreamOptionError`` if one that would be used is invalid.
    package static func inherited(
        from environment: [String: String],
        exceptions: ProxyExceptions? = nil
    ) throws(UpstreamOptionError) -> UpstreamProxies {
        let any = ["all_proxy", "ALL_PROXY"]
        return UpstreamProxies(
            http: try self.proxy(["http_proxy"] + any, environment),
            https: try self.proxy(["https_proxy", "HTTPS_PROXY"] + any, environment),
            exceptions: exceptions ?? self.exceptions(of: environment),
            isInherited: true
        )
    }

    /// The hosts of `no_proxy` or `NO_PROXY`.
    package static func exceptions(of environment: [String: String]) -> ProxyExceptions {
        ProxyExceptions(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
    }

    private static func proxy(
        _ names: [String],
        _ environment: [String: String]
    ) throws(UpstreamOptionError) -> UpstreamProxy? {
        for name in names {
            guard let text = environment[name] else { continue }
            // Set and empty is how one of these is switched off.
            return text.isEmpty ? nil : try UpstreamProxy(text, from: name)
        }
        return nil
    }

    package var isEmpty: Bool { self.http == nil && self.https == nil }

    /// Returns the proxy for an origin, or `nil` for a direct connection.
    ///
    /// This machine is contacted directly, because `localhost` on a proxy's machine is another; but if the proxy was
    /// named for Tapedeck and is on this machine too, only the exceptions count, so that a debugging proxy sees
    /// everything.
    ///
    /// - Parameter addresses: the known addresses of the origin's host; none are looked up.
    package func proxy(for origin: Origin, addresses: [NetworkAddress] = []) -> UpstreamProxy? {
        guard let proxy = origin.scheme == .http ? self.http : self.https else { return nil }
        let isLocal = origin.isLoopback || addresses.contains(where: \.isLoopback)
        if isLocal, self.isInherited || !proxy.isLocal { return nil }
        return self.exceptions.contains(host: origin.host, port: origin.port, addresses: addresses) ? nil : proxy
    }
}
