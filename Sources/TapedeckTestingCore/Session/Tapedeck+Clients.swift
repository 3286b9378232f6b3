public import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// How clients get to the deck, and into this session. None of it asks the deck.
extension Tapedeck {
    private var route: ProxyRoute {
        ProxyRoute(host: self.proxyHost, port: self.proxyPort, sessionKey: self.sessionKey)
    }

    /// A configuration whose `URLSession`s ask the deck, whatever URL they are given: HTTPS included, over plain TCP, with
    /// no certificate, proxy setting or environment.
    ///
    /// Everything else is as in `base`, an ephemeral one unless told otherwise. Add to its `httpAdditionalHeaders` before
    /// you give it, or to those of the result; what is in there already leads the requests. A variant with a `urlError` is
    /// met as that very `URLError`, other faults as the nearest one.
    public func urlSessionConfiguration(_ base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
        self.route.urlSessionConfiguration(base)
    }

    /// A `URLSession` that asks the deck, whatever URL it is given. Each call makes a new one; invalidate it when tasks of
    /// it may outlive the test. ``urlSessionConfiguration(_:)`` says what `base` is for.
    public func urlSession(_ base: URLSessionConfiguration = .ephemeral) -> URLSession {
        URLSession(configuration: self.urlSessionConfiguration(base))
    }

    /// The deck as a proxy, for clients that take one: `http://ID:TOKEN@HOST:PORT`, where the credentials name this
    /// session. For HTTPS the client must trust ``certificateAuthority``.
    public var proxyURL: String { self.route.proxyURL }

    /// The host of ``proxyURL``: a name or an address, without brackets.
    public var proxyHost: String { self.deck.proxyHost }

    /// The port of ``proxyURL``.
    public var proxyPort: Int { self.deck.proxyPort }

    /// A base URL that stands for an origin, for clients that take a base URL and nothing else. Plain HTTP, and nothing has
    /// to be trusted; cassettes hold the real origin all the same.
    ///
    /// ```swift
    /// let api = GitHub(api: try deck.baseURL(for: "https://api.github.com"))
    /// ```
    ///
    /// A path in `url` goes along.
    ///
    /// - Throws: ``TapedeckError`` when `url` is no `http` or `https` URL, or holds a user name.
    public func baseURL(for url: String) throws -> URL {
        guard let text = self.route.baseURL(for: url), let base = URL(string: text) else {
            throw TapedeckError(.badOptions, "\(url) is no origin; write one such as https://api.example.com")
        }
        return base
    }

    /// The environment of a child process: this one's, with the variables that send its requests to this session and make
    /// it trust the deck. The files that they name are there until the session ends.
    ///
    /// - Throws: what the file system says of those files.
    public var environment: [String: String] {
        get throws {
            try self.route.environment(
                inheriting: ProcessInfo.processInfo.environment,
                trust: self.trust,
                controlURL: self.deck.control.url,
                token: self.deck.token
            )
        }
    }
}
