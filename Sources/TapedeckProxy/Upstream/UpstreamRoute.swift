import TapedeckCore
import TapedeckHTTP1

/// The way to an origin, which decides about the reuse of connections: those with equal routes are interchangeable.
enum UpstreamRoute: Hashable, Sendable {
    case direct(Origin)
    /// To this machine, at the loopback addresses of the host itself.
    case local(Origin)
    /// To a proxy, which gets the requests themselves, for any `http` origin (RFC 9112 section 3.2.2).
    case plain(UpstreamProxy)
    /// Through a tunnel that a proxy makes (RFC 9110 section 9.3.6).
    case tunnel(UpstreamProxy, Origin)

    /// The origin that TLS is spoken with; not what a proxy may want for itself.
    var tlsOrigin: Origin? {
        switch self {
        case .direct(let origin), .local(let origin), .tunnel(_, let origin): origin.scheme == .https ? origin : nil
        case .plain: nil
        }
    }

    /// The host to blame for a failure by default.
    var host: String {
        switch self {
        case .direct(let origin), .local(let origin), .tunnel(_, let origin): origin.host
        case .plain(let proxy): proxy.origin.host
        }
    }

    /// True if a proxy resolves the origin's name.
    var isOverProxy: Bool {
        switch self {
        case .direct, .local: false
        case .plain, .tunnel: true
        }
    }

    /// True if it leads only to this machine.
    var isLocal: Bool {
        if case .local = self { true } else { false }
    }

    /// The proxy that requests themselves are sent to.
    var plainProxy: UpstreamProxy? {
        if case .plain(let proxy) = self { proxy } else { nil }
    }
}

extension UpstreamProxy {
    /// The credentials for the proxy (RFC 7617); never logged or recorded.
    var authorizationField: HeaderField? {
        self.credentials.map { credentials in
            let pair = Base64.encode(Array("\(credentials.user):\(credentials.password)".utf8))
            return HeaderField("Proxy-Authorization", "Basic \(String(decoding: pair, as: UTF8.self))")
        }
    }
}

extension RequestHead {
    /// The target in absolute form, for a proxy. One that means the whole server (`OPTIONS *`) has no path then (RFC 9112
    /// section 3.2.4).
    var absoluteTarget: String { "\(self.origin)\(self.target == "*" ? "" : self.target)" }
}
