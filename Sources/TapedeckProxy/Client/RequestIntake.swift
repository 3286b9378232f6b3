import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Processes the heads of a connection's requests: finds session and origin, and the outcome.
///
/// A connection has one, for every version of HTTP; an HTTP/2 head is passed in HTTP/1.1 form. Heads come one after the
/// other, each complete, and leave their parts here until the next one.
final class RequestIntake {
    /// The outcome of a request's head.
    enum Outcome {
        case malformed(MalformedMessage)
        /// A CONNECT whose tunnel has both ends here.
        case tunnel(Origin, Session?)
        /// A CONNECT whose tunnel is passed through.
        case passTunnel(Origin, Session, HostRules.Reason)
        /// An answer of Tapedeck's own, and of no session.
        case answer(LocalResponse)
        /// A local response and the end of the connection.
        case turnAway(LocalResponse)
        case request(SeenRequest, Verdict)
    }

    let deck: ProxyContext
    let loop: LoopContext
    let doorway: ListenerContext
    // The values below are changed by methods of their own, which call nothing of this class, and on one event loop: no two
    // accesses overlap. Checking that at run time took a thirtieth of a request.
    /// Finds the session of each request.
    @exclusivity(unchecked) var routing: SessionRouting
    /// Decides about each request.
    @exclusivity(unchecked) var judge: RequestJudge
    var route: Route
    @exclusivity(unchecked) var scanner = RequestScanner()
    @exclusivity(unchecked) var key = RequestKey()
    @exclusivity(unchecked) var origins = OriginCache()
    @exclusivity(unchecked) var target = ResolvedTarget()
    /// True if the client speaks TLS.
    var isEncrypted = false
    /// The stream of HTTP/2 whose head is read; 0 over HTTP/1.
    var stream: Int32 = 0
    /// The Host that the rules for pages accepted last.
    var acceptedHost: [UInt8] = []
    /// Its slots in the connection limits.
    var place: ConnectionPermit

    init(deck: ProxyContext, loop: LoopContext, doorway: ListenerContext, route: Route) {
        self.deck = deck
        self.loop = loop
        self.doorway = doorway
        self.place = ConnectionPermit(in: deck.sessions.meter)
        self.judge = RequestJudge(deck)
        self.routing = SessionRouting(
            deck.sessions,
            home: doorway.session ?? deck.sessions.default,
            requiresToken: deck.configuration.requiresToken,
            deckToken: deck.deckToken,
            opensHome: doorway.transparent != nil
        )
        self.route = route
    }

    /// Returns the outcome of the complete head in `bytes`, which ``scanner`` has scanned and which is not a CONNECT.
    ///
    /// - Parameter local: the deck's address on the connection.
    func open(_ bytes: UnsafeRawBufferPointer, local: SocketAddress?) -> Outcome {
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        let path: Int
        self.target = ResolvedTarget()
        var pathKey: [UInt8]?
        do {
            if let route = self.route.transparent {
                switch try self.resolveTransparent(route, bytes, &pathKey) {
                case .path(let found): path = found
                case .refused(let answer):
                    self.loop.metrics.count(.none, .refused, microseconds: nil)
                    return .answer(answer)
                }
            } else {
                guard let found = try self.resolveOrigin(target, &pathKey) else {
                    return .malformed(self.targetProblem(target))
                }
                path = found
            }
        } catch {
            return .malformed(error)
        }
        self.target.pathStart = path
        if let outcome = self.pageOutcome(bytes, target) { return outcome }
        if self.origins.isLocalSite { return .answer(self.localAnswer(bytes, local)) }
        let session: Session
        switch self.routing.session(for: self.scanner.fields, bytes, way: self.way(target), pathKey: pathKey) {
        case .success(let found): session = found
        case .failure(let refusal):
            self.loop.metrics.count(.none, .refused, microseconds: nil)
            return .answer(refusal.answer)
        }
        return self.open(bytes, session)
    }

    /// Opens the request, once its session is known.
    private func open(_ bytes: UnsafeRawBufferPointer, _ session: Session) -> Outcome {
        if let outcome = self.defaultSessionOutcome(session) ?? self.connectionOutcome(session) { return outcome }
        let start = NIODeadline.now()
        session.touch(at: start)
        if let outcome = self.requestOutcome(session, bytes) { return outcome }
        var seen = SeenRequest(
            session: session,
            request: JournalRequest(
                head: Array(bytes),
                origin: self.origins.origin ?? Self.noOrigin,
                pathStart: self.target.pathStart,
                isUnnamed: self.routing.isUnnamed,
                stream: self.stream
            ),
            start: start,
            time: .now
        )
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        self.key.begin(
            method: UnsafeRawBufferPointer(rebasing: bytes[self.scanner.method]),
            origin: self.origins.canonical
        )
        self.key.append(target: UnsafeRawBufferPointer(rebasing: target[self.target.pathStart...]))
        let verdict = self.judge.verdict(
            on: &seen,
            key: self.key,
            origin: self.origins.origin,
            isAsked: self.asksForOrigin,
            hasBody: self.scanner.hasBody,
            selects: self.scanner.fields.selects
        ) {
            self.scanner.fields.fields(bytes)
        }
        return .request(seen, verdict)
    }

    /// In place of the origin of a request whose own is not known, which none is that gets so far.
    static let noOrigin = Origin(scheme: .http, host: "-")

    /// True if the request uses an address that stands for its origin: a reverse listener, or a base URL.
    private var asksForOrigin: Bool {
        self.target.isBaseURL
            || !self.route.isTunnel && self.doorway.reverseOrigin != nil
                && self.doorway.reverseOrigin == self.origins.origin
    }

    private func way(_ target: UnsafeRawBufferPointer) -> SessionRouting.Way {
        if self.route.isTunnel { return .tunnel }
        if self.route.transparent != nil { return .reverse }
        return Self.isOriginForm(target) ? .reverse : .proxy
    }

    // MARK: Tapedeck's own site

    private func localAnswer(_ bytes: UnsafeRawBufferPointer, _ local: SocketAddress?) -> LocalResponse {
        let line = self.line(bytes)
        let pages = self.deck.configuration.localSite(self.ownURL(local))
        return LocalSite.answer(line.url.target, method: line.method, pages: pages)
    }

    /// The proxy as this client knows it.
    private func ownURL(_ address: SocketAddress?) -> String {
        guard let address, let host = address.ipAddress,
            let port = self.doorway.transparent?.proxyPort ?? address.port
        else { return "" }
        return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }

    /// Method and URL of the request whose head was read last.
    func line(_ bytes: UnsafeRawBufferPointer) -> RequestLine {
        let origin = self.origins.origin ?? Self.noOrigin
        return self.scanner.line(bytes, origin: origin, pathStart: self.target.pathStart)
    }

    // MARK: Answers that are ready

    /// Returns the answer to a request without a body if it can be sent at once.
    func readyAnswer(_ play: Play, for client: ClientAbilities, isFast: Bool) -> PlayableResponse? {
        guard play.staging == nil, !play.tape.kind(ofTake: play.take).contains(.fault),
            let response = self.loop.player(for: play.tape).ready(play.take, for: client),
            response.isWhole, response.fault == nil, !response.isRestored,
            !response.mayNameOrigin || !self.target.isAtDeck, !response.saysToWait || !isFast,
            response.cookieLife == nil
        else { return nil }
        return response
    }

    /// Notes that such an answer was played.
    func notePlayed(_ play: Play, _ seen: SeenRequest) {
        if self.deck.logsAnswers { self.deck.logPlayed(play, seen.request.line, by: seen.session) }
        let microseconds = seen.microseconds
        self.loop.metrics.count(seen.session.countedMode, .played, microseconds: microseconds)
        seen.session.journal.add(
            seen.request,
            at: seen.time,
            body: .empty,
            outcome: .played(PlayedAnswer(play)),
            microseconds: microseconds,
            ending: .complete
        )
    }

    // MARK: Exchanges

    /// The request whose head, in `bytes`, was read last.
    func request(_ bytes: UnsafeRawBufferPointer, of seen: SeenRequest, client: ClientAbilities) -> ClientRequest {
        ClientRequest(
            session: seen.session,
            client: client,
            line: self.line(bytes),
            key: self.key,
            fields: self.scanner.fields.fields(bytes),
            route: self.route,
            wantsUpgrade: self.scanner.fields.hasUpgrade && !self.scanner.hasBody,
            expectsContinue: self.expectsContinue,
            isURLSession: self.scanner.fields.isURLSession,
            address: self.address(bytes),
            passing: seen.passing
        )
    }

    /// The address by which the client of the request reaches the origin.
    private func address(_ bytes: UnsafeRawBufferPointer) -> ReturnAddress? {
        guard self.target.isAtDeck, self.deck.configuration.rewritesAddresses, let origin = self.origins.origin else {
            return nil
        }
        let deck: String
        if let named = self.target.namedDeck {
            deck = "\(named)"
        } else {
            guard let host = self.scanner.fields.host else { return nil }
            let authority = ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[host.value]))
            deck = "\(self.isEncrypted ? "https" : "http")://\(authority)"
        }
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        let prefix = self.target.isBaseURL ? target[self.target.baseStart..<self.target.pathStart] : target[0..<0]
        return ReturnAddress(
            origin: origin,
            deck: deck,
            prefix: ByteText.string(from: UnsafeRawBufferPointer(rebasing: prefix)),
            isEncrypted: deck.hasPrefix("https:")
        )
    }

    /// RFC 9110 section 10.1.1: HTTP/1.0 knows no such expectation.
    var expectsContinue: Bool {
        self.scanner.hasBody && self.scanner.fields.expectsContinue && self.scanner.minorVersion == 1
    }
}

@available(*, unavailable)
extension RequestIntake: Sendable {}
