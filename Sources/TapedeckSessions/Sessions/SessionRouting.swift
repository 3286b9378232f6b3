import TapedeckCore
package import TapedeckHTTP1
import TapedeckPlatform

/// Finds the session of each request of a connection. The first of these that is present decides:
///
/// 1. the header X-Tapedeck-Session of the request,
/// 2. the key in the path of a base URL (``BaseURLTarget``),
/// 3. inside a tunnel, the session of its CONNECT, which was found by the same rules,
/// 4. the proxy credentials,
/// 5. the session that the listener is for,
/// 6. the default session, if the deck has one.
///
/// An invalid key is refused; no later rule is tried. Without a default session, a CONNECT without a key is refused
/// too: git sends its proxy credentials only after a 407, and only a CONNECT can get one. A client that can name a
/// session only inside the tunnel needs a listener of that session.
///
/// A client sends the same key again and again, so the last one is cached by its bytes and costs a comparison.
package struct SessionRouting {
    /// By what way a request came.
    package enum Way {
        /// To the proxy: with an absolute-form target, or as CONNECT.
        case proxy
        /// To the proxy's port as to a server of its own.
        case reverse
        case tunnel

        var isProxied: Bool { self == .proxy }
    }

    private struct Remembered {
        var bytes: [UInt8]
        var isCredentials: Bool
        var session: Session
        /// The number of the deck's token at that time.
        var token: Int
    }

    private let sessions: SessionDirectory
    private let requiresToken: Bool
    private let deckToken: CurrentToken
    /// True if requests without a session need no token either.
    private let opensHome: Bool
    /// The listener's session, or the default one.
    private let home: Session?
    /// The session of the CONNECT.
    private var tunnel: Session?
    /// True if the CONNECT named no session.
    private var tunnelIsUnnamed = false
    /// True if the last request named no session, is the default one's, and there are others that it may have meant.
    package private(set) var isUnnamed = false
    private var last: Remembered?

    /// - Parameters:
    ///   - home: the session of requests that name none; `nil` if every request must name one.
    ///   - requiresToken: see ``ProxyConfiguration/requiresToken``.
    ///   - deckToken: see ``ProxyConfiguration/deckToken``.
    ///   - opensHome: true if requests without a session are accepted without a token: on a listener for clients that
    ///     do not know the deck, which the operator opened to them.
    package init(
        _ sessions: SessionDirectory,
        home: Session?,
        requiresToken: Bool,
        deckToken: CurrentToken,
        opensHome: Bool = false
    ) {
        self.sessions = sessions
        self.home = home
        self.requiresToken = requiresToken
        self.deckToken = deckToken
        self.opensHome = opensHome
    }

    /// From here on requests come through a tunnel.
    ///
    /// - Parameter session: of the CONNECT; `nil` where that named none and was for Tapedeck's own site.
    package mutating func enterTunnel(_ session: Session?) {
        self.tunnel = session
        self.tunnelIsUnnamed = self.isUnnamed
    }

    /// The session of the request whose head was scanned last.
    ///
    /// - Parameters:
    ///   - bytes: what the slices of `fields` are offsets into.
    ///   - pathKey: the key in the path of a base URL.
    package mutating func session(
        for fields: borrowing FieldSection,
        _ bytes: UnsafeRawBufferPointer,
        way: Way,
        pathKey: [UInt8]? = nil
    ) -> Result<Session, SessionRefusal> {
        self.isUnnamed = false
        if let slice = fields.sessionKey {
            return self.session(UnsafeRawBufferPointer(rebasing: bytes[slice.value]), isCredentials: false, way)
        }
        if let pathKey {
            return pathKey.withUnsafeBytes { self.session($0, isCredentials: false, way) }
        }
        switch way {
        case .tunnel:
            guard let session = self.tunnel else { return .failure(.required(isProxied: false)) }
            self.isUnnamed = self.tunnelIsUnnamed
            return session.isEnded ? .failure(.ended(session.id)) : .success(session)
        case .proxy:
            if let slice = fields.proxyAuthorization {
                return self.session(UnsafeRawBufferPointer(rebasing: bytes[slice.value]), isCredentials: true, way)
            }
        case .reverse:
            break
        }
        return self.homeSession(way)
    }

    /// The session of a SOCKS client.
    ///
    /// - Parameter credentials: `ID` or `ID:TOKEN`; `nil` if the client sent none. A name without a token that is not a
    ///   session is ignored, because many clients send the user's login name.
    package mutating func session(credentials: [UInt8]?) -> Result<Session, SessionRefusal> {
        self.isUnnamed = false
        guard let credentials, !self.isUserName(credentials) else { return self.homeSession(.proxy) }
        return credentials.withUnsafeBytes { self.session($0, isCredentials: false, .proxy) }
    }

    private func isUserName(_ credentials: [UInt8]) -> Bool {
        let key = SessionKey(credentials)
        guard key.token == nil, case .unknown = self.sessions.find(key.id) else { return false }
        return true
    }

    /// The session of requests that name none.
    private mutating func homeSession(_ way: Way) -> Result<Session, SessionRefusal> {
        guard let session = self.home else { return .failure(.required(isProxied: way.isProxied)) }
        if session.isEnded { return .failure(.ended(session.id)) }
        // A client of a transparent port cannot name one.
        self.isUnnamed = !self.opensHome && session === self.sessions.default && self.sessions.hasOthers
        if self.requiresToken, !self.opensHome { return .failure(.tokenRequired(session.id, isProxied: way.isProxied)) }
        return .success(session)
    }

    private mutating func session(
        _ value: UnsafeRawBufferPointer,
        isCredentials: Bool,
        _ way: Way
    ) -> Result<Session, SessionRefusal> {
        if let last = self.last, last.isCredentials == isCredentials, Self.isSame(last.bytes, value),
            !last.session.isEnded, last.token == self.deckToken.number
        {
            return .success(last.session)
        }
        let key = isCredentials ? SessionKey(credentials: value) : SessionKey(value)
        guard let key else {
            return .failure(self.home == nil ? .required(isProxied: way.isProxied) : .unreadable)
        }
        // Before it is looked at, so that one that is replaced meanwhile is looked at again.
        let number = self.deckToken.number
        let found = self.find(key, way)
        if case .success(let session) = found {
            self.last = Remembered(
                bytes: Array(value),
                isCredentials: isCredentials,
                session: session,
                token: number
            )
        }
        return found
    }

    private func find(_ key: SessionKey, _ way: Way) -> Result<Session, SessionRefusal> {
        switch self.sessions.find(key.id) {
        case .unknown:
            return .failure(.unknown(key.id, self.sessions.foreignDeck(of: key.id)))
        case .ended:
            return .failure(.ended(key.id))
        case .live(let session):
            if session.isEnded { return .failure(.ended(key.id)) }
            guard let token = key.token else {
                return self.requiresToken
                    ? .failure(.tokenRequired(key.id, isProxied: way.isProxied)) : .success(session)
            }
            return self.fits(token, session) ? .success(session) : .failure(.wrongToken(key.id))
        }
    }

    /// On loopback the default session has no token of its own.
    private func fits(_ token: String, _ session: Session) -> Bool {
        let isSessions = !session.token.isEmpty && token.isSameSecret(as: session.token)
        let isDecks = self.deckToken.value.map { !$0.isEmpty && token.isSameSecret(as: $0) } ?? false
        return isSessions || isDecks
    }

    private static func isSame(_ bytes: [UInt8], _ value: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == value.count else { return false }
        guard let start = value.baseAddress else { return true }
        return memcmp(bytes, start, bytes.count) == 0
    }
}

@available(*, unavailable)
extension SessionRouting: Sendable {}
