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
    /// The host that the client asked for when it began TLS, in lower case and without a final dot; `nil` without TLS.
    var serverName: String?
    var port: TransparentPort
    /// The host that the client connected to, where addresses stand for hosts; `nil` elsewhere.
    var destination: String?

    /// The origin of a Host field, or of the authority of a target; `nil` where that is no `HOST` or `HOST:PORT`.
    ///
    /// A port that is written counts, also one that differs: between client and listener ports may have been mapped, and
    /// only the client knows which one it means.
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
