import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// What is done about a request because of its host, before the tape is asked.
extension ClientConnection {
    /// What a CONNECT leads to.
    func tunnelOpening(to origin: Origin, _ session: Session) -> Opening {
        switch self.tunnelVerdict(on: origin, session) {
        case .usual:
            return .connect(origin, session)
        case .passThrough(let reason):
            if let refusal = self.localRefusal(origin, reason) {
                self.noteRefusedTunnel(session, refusal)
                return .answer(.refusedTarget(refusal))
            }
            return .passThrough(origin, session, reason)
        case .block(let pattern):
            session.noteBlocked(origin, pattern: pattern)
            let answer = OwnAnswer.blocked(origin, pattern: pattern)
            self.noteTunnel(to: origin, session, .refused(reason: "the host is blocked (block \(pattern))"))
            self.logBlocked(origin, pattern)
            return .answer(answer)
        }
    }

    /// Why TLS for an origin is passed through and not intercepted; `nil` where it is intercepted. A block is told inside TLS.
    func passThroughReason(_ origin: Origin, _ session: Session) -> HostRules.Reason? {
        guard case .passThrough(let reason) = self.tunnelVerdict(on: origin, session),
            self.localRefusal(origin, reason) == nil
        else { return nil }
        return reason
    }

    /// A tunnel is intercepted if the tape may have something for its host.
    private func tunnelVerdict(on origin: Origin, _ session: Session) -> HostRules.Verdict {
        let verdict = self.verdict(on: origin, session, isAsked: false)
        guard case .passThrough(let reason) = verdict, self.asksTapeFirst(session, reason),
            session.tapes.mayAnswer(host: origin.host, port: origin.port)
        else { return verdict }
        return .usual
    }

    /// What a request leads to whose host is not to be treated as usual; `nil` for any other, and for one that passes
    /// unless it is on tape, which is noted in `seen`.
    func openingByHost(_ seen: inout SeenRequest) -> Opening? {
        guard let origin = self.origins.origin else { return nil }
        switch self.verdict(on: origin, seen.session, isAsked: self.asksForOrigin(origin)) {
        case .usual:
            return nil
        case .passThrough(let reason):
            seen.passing = reason
            return self.asksTapeFirst(seen.session, reason) ? nil : .decided(.forward(record: false), seen)
        case .block:
            // Refused where it would be forwarded.
            return .decided(.forward(record: false), seen)
        }
    }

    /// A session that plays asks its tape about every host but those that are to be left alone.
    private func asksTapeFirst(_ session: Session, _ reason: HostRules.Reason) -> Bool {
        if case .passthrough = reason { return false }
        return session.mode.plays
    }

    /// Why a request that would pass on to this machine does not.
    func localRefusal(_ origin: Origin, _ reason: HostRules.Reason) -> TargetRefusal? {
        let configuration = self.deck.configuration
        guard reason.isLocal(origin), !configuration.passesLocal, !configuration.targets.allowsPrivate(origin) else {
            return nil
        }
        return TargetRefusal(origin, .thisMachine)
    }

    /// Whether the request comes by an address that stands for this very origin: a reverse listener, or a base URL.
    private func asksForOrigin(_ origin: Origin) -> Bool {
        self.isBaseURL || !self.route.isTunnel && self.doorway.reverseOrigin == origin
    }

    /// - Parameter isAsked: whether somebody named the origin for this deck to ask.
    private func verdict(on origin: Origin, _ session: Session, isAsked: Bool) -> HostRules.Verdict {
        let verdict = self.verdict(on: origin)
        guard verdict != .usual else { return .usual }
        let mode = session.mode
        // A recording of a session of its own is made for what it is asked; only the default one gets what an environment
        // leads here.
        let isForSession = mode.records && session !== self.deck.sessions.default
        let applied = verdict.applied(to: origin, in: mode, isAsked: isAsked || isForSession)
        // In `replay` it is unmatched then, as it would be for any other host.
        return applied == .passThrough(.local) && !self.deck.configuration.passesLocal ? .usual : applied
    }

    private func verdict(on origin: Origin) -> HostRules.Verdict {
        // Most connections ask one origin, so that its rules are held against it once.
        if let known = self.hostVerdict, known.origin == origin { return known.verdict }
        let verdict = self.deck.configuration.recording.hosts.verdict(on: origin)
        self.hostVerdict = (origin, verdict)
        return verdict
    }

    /// The pattern that blocks an origin that is to be asked.
    func blockingPattern(_ origin: Origin) -> String? {
        if case .block(let pattern) = self.verdict(on: origin) { return pattern }
        return nil
    }

    /// Answers a request whose origin is blocked. Its body, or the rest of it, is not read.
    func refuseBlocked(_ request: ClientRequest, pattern: String) {
        let origin = request.line.url.origin
        request.session.noteBlocked(origin, pattern: pattern)
        self.trace?.outcome(.refused(reason: "the host is blocked (block \(pattern))"))
        self.logBlocked(origin, pattern)
        var client = request.client
        if !self.decoder.endsNow { client.keepsAlive = false }
        self.answer(.blocked(origin, pattern: pattern), for: client)
    }

    private func logBlocked(_ origin: Origin, _ pattern: String) {
        self.deck.log.notice(
            "blocked a request",
            metadata: ["host": "\(origin.bracketedHost):\(origin.port)", "pattern": "\(pattern)"]
        )
    }

    /// Notes a CONNECT that is not intercepted.
    func noteTunnel(to origin: Origin, _ session: Session, _ outcome: JournalEntry.Outcome) {
        let head = "CONNECT / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
        session.journal.add(
            JournalRequest(head: Array(head.utf8), origin: origin, pathStart: 0),
            at: .now,
            body: .empty,
            outcome: outcome,
            microseconds: 0,
            ending: .complete
        )
    }
}

extension OwnAnswer {
    /// The answer to a request for a host that is blocked.
    static func blocked(_ origin: Origin, pattern: String) -> OwnAnswer {
        let host = "\(origin.bracketedHost):\(origin.port)"
        return OwnAnswer(
            status: 403,
            json: .object([
                ("error", .string("blocked")),
                ("message", .string("Tapedeck does not ask \(host): the host is blocked (block \(pattern)).")),
                ("host", .string(host)),
                ("pattern", .string(pattern)),
            ]),
            headers: [
                HeaderField("Cache-Control", "no-store"),
                HeaderField("X-Tapedeck-Reason", "\(host) is blocked"),
            ]
        )
    }
}
