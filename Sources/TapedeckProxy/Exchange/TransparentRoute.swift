import TapedeckCore

/// A port for clients that believe they talk to the origin itself: by its alias, a hosts file or a rule of the network.
struct TransparentPort: Sendable, Hashable {
    /// The port of origins where a client does not say.
    var originPort: Int
    /// The port of the proxy itself, which clients are sent to that mean one.
    var proxyPort: Int
}

/// The known parts of the origins of a connection to a ``TransparentPort``.
struct TransparentRoute: Sendable, Hashable {
    /// `https` inside TLS, else `http`.
    var scheme: Origin.Scheme
    /// The host of the client's SNI, in lower case and without a final dot; `nil` without TLS.
    var serverName: String?
    var port: TransparentPort
    /// The host that the client connected to, if addresses identify hosts; otherwise `nil`.
    var destination: String?

    /// Returns the origin of a Host field, or of the authority of a target; `nil` if it is not `HOST` or `HOST:PORT`.
    ///
    /// An explicit port counts, even a different one: ports may be mapped between client and listener, and only the
    /// client knows the intended one.
    func origin(_ authority: String) -> Origin? {
        guard let (host, port) = Origin.split(authority: authority) else { return nil }
        return Origin(scheme: self.scheme, host: host, port: port ?? self.port.originPort)
    }

    /// The origin of a request that names none: the one of the connection.
    var unnamed: Origin? {
        (self.serverName ?? self.destination).map { Origin(scheme: self.scheme, host: $0, port: self.port.originPort) }
    }

    /// Returns true if a request for `origin` may use this connection (RFC 9110 section 7.4).
    func leads(to origin: Origin) -> Bool {
        guard origin.scheme == self.scheme else { return false }
        guard let serverName = self.serverName else { return true }
        return origin.host == serverName || origin.host == "\(serverName)."
    }
}
