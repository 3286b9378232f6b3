public import Foundation
import TapedeckControlClient

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The way of clients to the deck, and into this session. None of it contacts the deck.
extension Tapedeck {
    var route: ProxyRoute {
        ProxyRoute(host: self.proxyHost, port: self.proxyPort, sessionKey: self.sessionKey)
    }

    /// A configuration whose `URLSession`s use the deck for every URL: HTTPS included, over plain TCP, without
    /// certificates, proxy settings or environment.
    ///
    /// Everything else is as in `base`, an ephemeral one by default. Add to its `httpAdditionalHeaders`, or to those of
    /// the result, but do not replace them: they route the requests. A variant with a `urlError` causes that exact
    /// `URLError`, other faults the nearest one.
    ///
    /// Cookies and credentials that a whole process shares, as with `URLSessionConfiguration.default`, are replaced by those
    /// of this session of the deck, in memory: no test sees those of another. There is no cache.
    public func urlSessionConfiguration(_ base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
        self.route.urlSessionConfiguration(base, storage: self.storage)
    }

    /// A `URLSession` that uses the deck for every URL. Each call makes a new one; invalidate it if its tasks may
    /// outlive the test. See ``urlSessionConfiguration(_:)`` for `base`.
    public func urlSession(_ base: URLSessionConfiguration = .ephemeral) -> URLSession {
        URLSession(configuration: self.urlSessionConfiguration(base))
    }

    /// A `URLSession` with a delegate, that uses the deck for every URL; see ``urlSessionConfiguration(_:)`` for `base`. It
    /// holds its delegate until it is invalidated, and calls it on `delegateQueue`, by default a serial queue of its own.
    public func urlSession(
        _ base: URLSessionConfiguration = .ephemeral,
        delegate: any URLSessionDelegate,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        URLSession(configuration: self.urlSessionConfiguration(base), delegate: delegate, delegateQueue: delegateQueue)
    }

    /// The deck as a proxy, for clients that take one: `http://ID:TOKEN@HOST:PORT`, where the credentials name this
    /// session. For HTTPS the client must trust ``certificateAuthority``.
    public var proxyURL: URL { URL(ofJournal: self.route.proxyURL) }

    /// The host of ``proxyURL``: a name or an address, without brackets.
    public var proxyHost: String { self.deck.proxyHost }

    /// The port of ``proxyURL``.
    public var proxyPort: Int { self.deck.proxyPort }

    /// A base URL that stands for an origin, for clients that only have a base URL. Plain HTTP, without certificates;
    /// cassettes still have the real origin.
    ///
    /// ```swift
    /// let api = GitHub(api: try deck.baseURL(for: URL(string: "https://api.github.com")!))
    /// ```
    ///
    /// A path in `url` is kept.
    ///
    /// - Throws: ``TapedeckError`` when `url` is no `http` or `https` URL, or holds a user name.
    public func baseURL(for url: URL) throws -> URL {
        guard let text = self.route.baseURL(for: url.absoluteString), let base = URL(string: text) else {
            throw TapedeckError(.badOptions, "\(url) is no origin; give one such as https://api.example.com")
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
