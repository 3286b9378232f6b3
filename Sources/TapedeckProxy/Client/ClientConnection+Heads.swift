import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// From the head of a request to its exchange.
extension ClientConnection {
    /// The outcome of a request's head.
    enum HeadOutcome {
        case incomplete
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

    /// Returns `false` if there is no whole head yet.
    func parseHead() -> Bool {
        var input = self.input
        var length = 0
        let outcome = input.withUnsafeReadableBytes { bytes -> HeadOutcome in
            switch self.scanner.scan(bytes) {
            case .incomplete: return .incomplete
            case .malformed(let problem): return .malformed(problem)
            case .complete(let end):
                length = end
                return self.open(bytes, length: end)
            }
        }
        if case .incomplete = outcome { return false }
        self.cancelHeadTimeout()
        if let host = self.silentHost {
            self.silentHost = nil
            self.deck.untrusting.noteAsked(host)
        }
        switch outcome {
        case .incomplete:
            return false
        case .malformed(let problem):
            self.refuse(problem)
        case .tunnel(let origin, let session):
            self.input.moveReaderIndex(forwardBy: length)
            self.acceptTunnel(to: origin, of: session)
        case .passTunnel(let origin, let session, let reason):
            self.input.moveReaderIndex(forwardBy: length)
            self.passTunnel(to: origin, of: session, reason)
        case .answer(let answer):
            self.input.moveReaderIndex(forwardBy: length)
            self.give(answer)
        case .turnAway(let answer):
            self.turnAway(answer)
        case .request(let seen, let verdict):
            if case .play(let play) = verdict, !self.scanner.hasBody, let response = self.readyAnswer(play) {
                self.input.moveReaderIndex(forwardBy: length)
                self.play(response, play, seen)
                return true
            }
            input.moveReaderIndex(forwardBy: length)
            self.begin(verdict, seen, head: self.input, rest: input)
        }
        return true
    }

    /// Finds out what is to be done with the request whose head was scanned.
    private func open(_ bytes: UnsafeRawBufferPointer, length: Int) -> HeadOutcome {
        self.client = ClientAbilities(
            isHead: self.scanner.isHead,
            minorVersion: self.scanner.minorVersion,
            keepsAlive: self.scanner.isPersistent && self.state.takesMoreRequests(waiting: self.waiting),
            codings: self.scanner.fields.acceptedCodings
        )
        if let outcome = self.excessOutcome { return outcome }
        if self.scanner.isConnect { return self.openTunnel(bytes) }
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        let path: Int
        self.target.isBaseURL = false
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
        if self.origins.isLocalSite { return .answer(self.localAnswer(bytes)) }
        let session: Session
        switch self.routing.session(for: self.scanner.fields, bytes, way: self.way(target), pathKey: pathKey) {
        case .success(let found): session = found
        case .failure(let refusal):
            self.loop.metrics.count(.none, .refused, microseconds: nil)
            return .answer(refusal.answer)
        }
        return self.open(bytes, length: length, session)
    }

    /// Opens the request, once its session is known.
    private func open(_ bytes: UnsafeRawBufferPointer, length: Int, _ session: Session) -> HeadOutcome {
        if let outcome = self.defaultSessionOutcome(session) ?? self.connectionOutcome(session) { return outcome }
        let start = NIODeadline.now()
        session.touch(at: start)
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        if let outcome = self.requestOutcome(session, head) { return outcome }
        var seen = SeenRequest(
            session: session,
            request: JournalRequest(
                head: Array(head),
                origin: self.origins.origin ?? Self.noOrigin,
                pathStart: self.target.pathStart,
                isUnnamed: self.routing.isUnnamed
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
            hasBody: self.scanner.hasBody
        ) {
            self.scanner.fields.fields(bytes)
        }
        return .request(seen, verdict)
    }

    /// In place of the origin of a request whose own is not known, which none is that gets so far.
    static let noOrigin = Origin(scheme: .http, host: "-")

    /// True if the request comes by an address that stands for its very origin: a reverse listener, or a base URL.
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

    private func localAnswer(_ bytes: UnsafeRawBufferPointer) -> LocalResponse {
        let line = self.line(bytes)
        let pages = self.deck.configuration.localSite(self.ownURL)
        return LocalSite.answer(line.url.target, method: line.method, pages: pages)
    }

    /// The proxy as this client knows it.
    private var ownURL: String {
        guard let address = self.context?.channel.localAddress, let host = address.ipAddress,
            let port = self.doorway.transparent?.proxyPort ?? address.port
        else { return "" }
        return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }

    /// Method and URL of the request whose head was read last.
    private func line(_ bytes: UnsafeRawBufferPointer) -> RequestLine {
        let origin = self.origins.origin ?? Self.noOrigin
        return self.scanner.line(bytes, origin: origin, pathStart: self.target.pathStart)
    }

    // MARK: Exchanges

    /// The answer to a request without a body that can go out here and now.
    private func readyAnswer(_ play: Play) -> PlayableResponse? {
        guard play.staging == nil, !play.tape.kind(ofTake: play.take).contains(.fault),
            let response = self.loop.player(for: play.tape).ready(play.take, for: self.client),
            response.isWhole, response.fault == nil, !response.isRestored, self.context != nil
        else { return nil }
        return response
    }

    /// Plays such an answer, and notes it with that: it is no exchange that takes its time.
    private func play(_ response: PlayableResponse, _ play: Play, _ seen: SeenRequest) {
        if self.deck.logsAnswers { self.deck.logPlayed(play, seen.request.line, by: seen.session) }
        self.send(response)
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
        self.finish(StreamEnding(response.ending))
    }

    /// Begins the exchange of the request whose head stands at the front of `head`, and goes on behind it with `rest`.
    private func begin(_ verdict: Verdict, _ seen: SeenRequest, head: ByteBuffer, rest: ByteBuffer) {
        let hasBody = self.scanner.hasBody
        let request = head.withUnsafeReadableBytes { bytes in
            ClientRequest(
                session: seen.session,
                client: self.client,
                line: self.line(bytes),
                key: self.key,
                fields: self.scanner.fields.fields(bytes),
                route: self.route,
                wantsUpgrade: self.scanner.fields.hasUpgrade && !hasBody,
                expectsContinue: self.expectsContinue,
                isURLSession: self.scanner.fields.isURLSession,
                passing: seen.passing
            )
        }
        self.input = rest
        self.expectBody()
        let exchange = Exchange(
            request,
            seen,
            verdict,
            hasBody: hasBody,
            judge: self.judge,
            stream: self,
            deck: self.deck,
            loop: self.loop
        )
        self.exchange = exchange
        exchange.begin(verdict)
    }

    /// RFC 9110 section 10.1.1: HTTP/1.0 knows no such expectation.
    private var expectsContinue: Bool {
        self.scanner.hasBody && self.scanner.fields.expectsContinue && self.scanner.minorVersion == 1
    }

    private func expectBody() {
        self.decoder =
            self.scanner.fields.isChunked ? .chunked : .length(self.scanner.fields.contentLength ?? 0)
        self.state.requestBegan()
    }

    /// Gives an answer of Tapedeck's own to the request whose head was read last, once its body has been read.
    private func give(_ answer: LocalResponse) {
        self.expectBody()
        guard self.expectsContinue else {
            self.localResponse = answer
            return
        }
        // RFC 9110 section 10.1.1: who is not asked for its body waits for the answer. It may send it all the same.
        self.send(answer)
        self.finish(.complete)
    }
}
