import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

extension ProxyRoute {
    /// A configuration whose sessions ask the deck, whatever URL they are given, and nobody else: over plain TCP, so that
    /// no certificate and no proxy setting is needed.
    ///
    /// The two header fields that it adds are what its requests are led by, so add to `httpAdditionalHeaders` and do not
    /// replace it. Cookies and credentials are as `base` has them; there is no cache, since an answer out of one is none
    /// of the tape's.
    ///
    /// - Parameter base: what else is to hold. An ephemeral configuration.
    package func urlSessionConfiguration(_ base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
        // It is a class, and the caller's is left as it is. `copy` of one gives a configuration.
        let configuration = base.copy() as? URLSessionConfiguration ?? base
        var headers = configuration.httpAdditionalHeaders ?? [:]
        headers[Self.sessionField] = self.sessionKey
        headers[Self.proxyField] = self.authority
        configuration.httpAdditionalHeaders = headers
        // First, so that it is asked before those that would dial out.
        configuration.protocolClasses = [TapedeckURLProtocol.self] + (configuration.protocolClasses ?? [])
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return configuration
    }

    /// The route that a session's configuration was made for; `nil` where its header fields are gone.
    init?(_ configuration: URLSessionConfiguration) {
        func value(_ name: String) -> String? {
            let field = configuration.httpAdditionalHeaders?.first { key, _ in
                (key.base as? String)?.lowercased() == name.lowercased()
            }
            return field?.value as? String
        }
        guard let key = value(Self.sessionField), let authority = value(Self.proxyField),
            let colon = authority.lastIndex(of: ":"), let port = Int(authority[authority.index(after: colon)...])
        else { return nil }
        var host = authority[..<colon]
        if host.first == "[" { host = host.dropFirst().dropLast() }
        self.init(host: String(host), port: port, sessionKey: key)
    }

    /// Names the session, on the way to the deck.
    static let sessionField = "X-Tapedeck-Session"
    /// Says where the deck is; never sent.
    static let proxyField = "X-Tapedeck-Proxy"
    /// Says what kind of client asks, on the way to the deck.
    static let clientField = "X-Tapedeck-Client"
}
