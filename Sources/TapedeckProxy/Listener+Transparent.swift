import NIOCore

extension ProxyListener {
    /// Opens a port, on the same host, for clients that believe they talk to the origin itself. It closes with the
    /// proxy. Returns the port.
    ///
    /// Requests that name no session belong to the default one, and need no token, whatever the configuration says.
    ///
    /// - Parameters:
    ///   - port: 0 picks a free one.
    ///   - originPort: the port of origins if a client does not name it.
    /// - Throws: the `IOError` of binding, such as `EADDRINUSE`.
    package func openTransparentPort(_ port: Int, originPort: Int) async throws -> Int {
        let transparent = TransparentPort(originPort: originPort, proxyPort: self.address.port ?? 0)
        return try await self.open(port, ListenerContext(session: nil, reverseOrigin: nil, transparent: transparent))
    }
}
