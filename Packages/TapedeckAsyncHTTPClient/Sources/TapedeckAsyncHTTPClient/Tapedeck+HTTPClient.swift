public import AsyncHTTPClient
import NIOHTTP1
import NIOSSL
public import TapedeckTestingCore

extension Tapedeck {
    /// A configuration whose clients use this session's deck for every URL.
    ///
    /// It sets the proxy, with the session's key on CONNECT; the deck's authority in addition to the roots of `base`; and no
    /// repeated connects, because a test of a connection fault should see it once. Everything else is as in `base`, also the
    /// version of HTTP.
    ///
    /// `HTTPClient.shared` cannot be configured; for code that uses it there is ``Tapedeck/baseURL(for:)``.
    ///
    /// - Throws: `NIOSSLError` if the deck's certificate cannot be read.
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
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
