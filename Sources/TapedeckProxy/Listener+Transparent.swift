import NIOCore

extension ProxyListener {
    /// Opens a port, on the same host, for clients that believe they talk to the origin itself. It closes with the proxy.
    /// Returns the port.
    ///
    /// Requests that name no session are the default one's, and need no token, whatever the configuration says.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one.
    ///   - originPort: the port of origins where a client does not say.
    /// - Throws: the `IOError` of binding, such as `EADDRINUSE`.
    package func openTransparentPort(_ port: Int, originPort: Int) async throws -> Int {
        let transparent = TransparentPort(originPort: originPort, proxyPort: self.address.port ?? 0)
        return try await self.open(port, ListenerContext(session: nil, reverseOrigin: nil, transparent: transparent))
    }
}
