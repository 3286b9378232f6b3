public import AsyncHTTPClient
import NIOHTTP1
import NIOSSL
public import TapedeckTestingCore

extension Tapedeck {
    /// A configuration whose clients ask this session's deck, whatever URL they are given.
    ///
    /// What it sets is the proxy, with the session's key on CONNECT; the deck's authority beside the roots of `base`;
    /// HTTP/1.1, which is what a deck speaks; and no repeated connects, since a test that plays a fault at the connection
    /// wants to see it once. Everything else is as in `base`.
    ///
    /// `HTTPClient.shared` cannot be configured; for code that uses it there is ``Tapedeck/baseURL(for:)``.
    ///
    /// - Throws: `NIOSSLError` where the deck's certificate cannot be read.
    public func httpClientConfiguration(
        _ base: HTTPClient.Configuration = HTTPClient.Configuration()
    ) throws -> HTTPClient.Configuration {
        var configuration = base
        configuration.proxy = .server(
            host: self.proxyHost,
            port: self.proxyPort,
            connectHeaders: ["X-Tapedeck-Session": self.sessionKey]
        )
        var tls = base.tlsConfiguration ?? .makeClientConfiguration()
        let authority = try NIOSSLCertificate.fromPEMBytes(Array(self.certificateAuthority.utf8))
        tls.additionalTrustRoots.append(.certificates(authority))
        configuration.tlsConfiguration = tls
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
