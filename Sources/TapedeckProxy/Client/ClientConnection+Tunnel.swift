import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// CONNECT (RFC 9110 section 9.3.6): a tunnel whose two ends are both here.
extension ClientConnection {
    /// The first byte of a TLS record with a handshake (RFC 8446 section 5.1).
    static let tlsHandshakeRecord: UInt8 = 0x16

    /// Returns the outcome of the CONNECT whose head was scanned last.
    func openTunnel(_ bytes: UnsafeRawBufferPointer) -> RequestIntake.Outcome {
        let authority = ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[self.intake.scanner.target]))
        guard !self.intake.route.isTunnel else { return .malformed(MalformedMessage("CONNECT inside a tunnel")) }
        if let route = self.intake.route.transparent { return .answer(.noTunnels(route)) }
        guard let (host, port) = Origin.split(authority: authority), let port else {
            return .malformed(MalformedMessage("CONNECT needs HOST:PORT"))
        }
        // RFC 9110 section 9.3.6 gives it no meaning, and it could be taken for the first bytes of the tunnel.
        guard !self.intake.scanner.hasBody else { return .malformed(MalformedMessage("CONNECT has no body")) }
        let origin = Origin(scheme: .https, host: host, port: port)
        switch self.intake.routing.session(for: self.intake.scanner.fields, bytes, way: .proxy) {
        case .success(let session):
            session.touch()
            if let outcome = self.intake.connectionOutcome(session) {
                self.noteTunnel(to: origin, session, .refused(reason: "the session has too many connections"))
                return outcome
            }
            return self.tunnelOutcome(origin, session)
        case .failure(let refusal):
            // Tapedeck's own site is available without a session.
            let isLocalSite = LocalSite.contains(Origin(scheme: .http, host: host, port: port))
            if isLocalSite { return .tunnel(origin, nil) }
            self.loop.metrics.count(.none, .refused, microseconds: nil)
            return .answer(refusal.answer)
        }
    }

    func tunnelOutcome(_ origin: Origin, _ session: Session) -> RequestIntake.Outcome {
        switch self.intake.judge.tunnelVerdict(on: origin, session) {
        case .intercept:
            return .tunnel(origin, session)
        case .passThrough(let reason):
            return .passTunnel(origin, session, reason)
        case .refuseTarget(let refusal):
            self.noteRefusedTunnel(session, refusal)
            return .answer(.refusedTarget(refusal))
        case .block(let pattern):
            session.noteBlocked(origin, pattern: pattern)
            self.noteTunnel(to: origin, session, .refused(reason: "the host is blocked (block \(pattern))"))
            self.deck.logBlocked(origin, pattern)
            return .answer(.blocked(origin, pattern: pattern))
        }
    }

    /// Notes a tunnel to a refused target.
    func noteRefusedTunnel(_ session: Session, _ refusal: TargetRefusal) {
        session.noteRefused(refusal)
        self.noteTunnel(to: refusal.origin, session, .refused(reason: refusal.message))
        self.deck.logRefused(refusal)
    }

    /// Notes a CONNECT without requests inside.
    func noteTunnel(
        to origin: Origin,
        _ session: Session,
        _ outcome: JournalEntry.Outcome,
        ending: JournalEntry.Ending = .complete
    ) {
        let head = "CONNECT / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
        session.journal.add(
            JournalRequest(head: Array(head.utf8), origin: origin, pathStart: 0),
            at: .now,
            body: .empty,
            outcome: outcome,
            microseconds: 0,
            ending: ending
        )
    }

    /// Accepts a tunnel without connecting: each request decides for itself if it is forwarded.
    func acceptTunnel(to origin: Origin, of session: Session?) {
        guard let context = self.context else { return }
        context.writeAndFlush(self.wrapOutboundOut(self.tunnelAcceptance), promise: nil)
        self.state.tunnelAccepted(to: origin, of: session)
        self.awaitHead()
    }

    /// Looks at the first byte that comes through the tunnel: a TLS handshake, a plain HTTP request, or something else.
    /// Returns whether there is something to parse.
    func startTunnel(_ origin: Origin, _ session: Session?) -> Bool {
        guard let first = self.input.getInteger(at: self.input.readerIndex, as: UInt8.self) else { return false }
        switch first {
        case Self.tlsHandshakeRecord:
            self.enter(origin, session)
            self.intercept(origin)
            return false
        case 0x41...0x5A, 0x61...0x7A:
            self.enter(Origin(scheme: .http, host: origin.host, port: origin.port), session)
            return true
        default:
            self.refuseOpaque(origin, session)
            return false
        }
    }

    private func enter(_ origin: Origin, _ session: Session?) {
        self.intake.route = .tunnel(origin)
        self.intake.routing.enterTunnel(session)
        self.intake.origins.set(origin)
        self.state.requestsBegin()
    }

    /// Puts TLS in front of this handler and hands it what has come so far.
    ///
    /// - Parameter http2: the client may choose HTTP/2. Not where it may take the deck for a proxy, which it would send a
    ///   CONNECT over HTTP/2.
    func intercept(_ origin: Origin, http2: Bool = true) {
        guard let context = self.context else { return }
        let hello = self.input
        self.input.clear()
        do {
            let tls = try TLSHandler.server(
                context: try self.deck.interception(),
                fallbackHost: origin.host,
                http2: http2 && self.deck.configuration.speaksHTTP2
            )
            try context.pipeline.syncOperations.addHandler(tls, position: .before(self))
            self.handshakeHost = origin.host
            self.intake.isEncrypted = true
            tls.receive(hello)
        } catch {
            self.deck.log.error("cannot intercept TLS", metadata: ["host": "\(origin.host)", "error": "\(error)"])
            self.closeNow()
        }
    }

    private func refuseOpaque(_ origin: Origin, _ session: Session?) {
        self.deck.log.notice("closed a tunnel that is neither TLS nor HTTP", metadata: ["origin": "\(origin)"])
        if let session { self.noteOpaque(origin, session) }
        self.closeNow()
    }

    private func noteOpaque(_ origin: Origin, _ session: Session) {
        let line = RequestLine(method: "CONNECT", url: AbsoluteURL(origin: origin, target: "/"))
        let outcome: JournalEntry.Outcome
        if session.mode.dialsOut {
            let problem = "a tunnel that is neither TLS nor HTTP is not passed on"
            session.noteForwarded(ForwardedRequest(request: line, notRecorded: problem))
            outcome = .refused(reason: problem)
        } else {
            let report = session.refuse(line)
            self.deck.logUnmatched(report)
            outcome = .unmatched(report)
        }
        self.noteTunnel(to: origin, session, outcome, ending: .cut)
    }

    func logHandshakeFailure(_ failure: TLSHandshakeFailure) {
        self.handshakeHost = nil
        switch failure.reason {
        case .peerRejectedCertificate(let alert):
            guard self.deck.untrusting.noteRefused(failure.host) else { return }
            self.deck.log.warning(
                "a client does not trust Tapedeck's certificate authority; see `tapedeck ca` for what to set",
                metadata: ["host": "\(failure.host)", "alert": "\(alert)"]
            )
        case .noApplicationProtocol:
            self.deck.log.warning(
                "a client offers no version of HTTP that this port speaks",
                metadata: ["host": "\(failure.host)"]
            )
        case .closed:
            self.deck.log.notice(
                "a client hung up during the TLS handshake",
                metadata: ["host": "\(failure.host)"]
            )
        case .certificateInvalid, .protocolError:
            self.deck.log.notice(
                "a TLS handshake with a client failed",
                metadata: ["host": "\(failure.host)", "reason": "\(failure)"]
            )
        }
    }
}
