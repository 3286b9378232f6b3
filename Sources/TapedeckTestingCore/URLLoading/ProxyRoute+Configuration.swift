#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

extension ProxyRoute {
    /// A configuration whose sessions use only the deck, for every URL: over plain TCP, without certificates and proxy
    /// settings.
    ///
    /// Its two header fields route the requests, so add to `httpAdditionalHeaders` and do not replace it. There is no
    /// cache, because a cached answer would not come from the tape.
    ///
    /// - Parameter base: the other settings. An ephemeral configuration by default.
    package func urlSessionConfiguration(_ base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
        self.urlSessionConfiguration(base, storage: nil)
    }

    /// - Parameter storage: replaces the cookies and credentials that all of the process shares, if `base` has them.
    func urlSessionConfiguration(_ base: URLSessionConfiguration, storage: SessionStorage?) -> URLSessionConfiguration {
        // It is a class, and the caller's is left as it is. `copy` of one gives a configuration.
        let configuration = base.copy() as? URLSessionConfiguration ?? base
        storage?.replaceShared(in: configuration)
        var headers = configuration.httpAdditionalHeaders ?? [:]
        headers[Self.sessionField] = self.sessionKey
        headers[Self.proxyField] = self.authority
        #if canImport(Darwin)
        headers[Self.configurationField] = KnownConfigurations.add(configuration)
        #endif
        configuration.httpAdditionalHeaders = headers
        // First, so that it comes before those that would connect.
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
        self.init(value)
    }

    /// The route that header fields lead to; `nil` where there is none.
    ///
    /// - Parameter value: returns the value of a field.
    init?(_ value: (_ name: String) -> String?) {
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
    /// The number of the configuration, for Apple's Foundation; never sent. See `KnownConfigurations`.
    static let configurationField = "X-Tapedeck-Configuration"
    /// Says what kind of client asks, on the way to the deck.
    static let clientField = "X-Tapedeck-Client"
}
