import TapedeckCore
import TapedeckSessions

/// Decides about the requests of a connection: by the mode of their session, the rules for hosts, the permitted
/// addresses, and the tape.
struct RequestJudge {
    private let deck: ProxyContext
    /// The verdict of the rules for the last origin: most connections have only one.
    private var known: (origin: Origin, verdict: HostRules.Verdict)?

    init(_ deck: ProxyContext) {
        self.deck = deck
    }

    // MARK: Requests

    /// Returns the verdict on a request by its head.
    ///
    /// - Parameters:
    ///   - seen: is marked to pass on if a rule requires it and the tape has no answer.
    ///   - key: the key for the tape.
    ///   - origin: the origin of the request; `nil` if unknown.
    ///   - isAsked: true if the request uses an address that stands for this origin: a reverse listener, or a base URL.
    ///   - hasBody: true if a body follows.
    ///   - selects: true if it has conditions or a range.
    ///   - fields: the header fields, parsed only if the tape needs them.
    mutating func verdict(
        on seen: inout SeenRequest,
        key: RequestKey,
        origin: Origin?,
        isAsked: Bool,
        hasBody: Bool,
        selects: Bool,
        fields: () -> [HeaderField]
    ) -> Verdict {
        if let origin {
            switch self.hostVerdict(on: origin, seen.session, isAsked: isAsked) {
            case .usual: break
            case .block(let pattern): return .block(pattern: pattern)
            case .passThrough(let reason):
                seen.passing = reason
                guard self.asksTapeFirst(seen.session, reason) else {
                    return self.onward(origin, records: false, delay: 0, passing: reason)
                }
            }
        }
        let decision =
            hasBody
            ? seen.session.answerBeforeBody(key, fields: fields(), passing: Passing(seen.passing))
            : seen.session.answer(
                key,
                body: .empty,
                selects: selects,
                passing: Passing(seen.passing),
                fields: fields
            )
        guard let decision else { return .needsBody }
        return self.verdict(decision, on: origin, passing: seen.passing)
    }

    /// Returns the verdict for a decision of the tape, or of a release.
    ///
    /// - Parameter passing: the reason why it passes on, if a rule requires that.
    mutating func verdict(_ decision: consuming Decision, on origin: Origin?, passing: HostRules.Reason?) -> Verdict {
        guard case .forward(let records, let delay) = decision, let origin else { return Verdict(decision) }
        return self.onward(origin, records: records, delay: delay, passing: passing)
    }

    /// The verdict on a request that is to go to its origin.
    private mutating func onward(
        _ origin: Origin,
        records: Bool,
        delay: Int,
        passing: HostRules.Reason?
    ) -> Verdict {
        if self.deck.own.isNamed(by: origin) { return .refuseLoop }
        if case .block(let pattern) = self.hostVerdict(on: origin) { return .block(pattern: pattern) }
        if !records, let passing, let refusal = self.localRefusal(origin, passing) { return .refuseTarget(refusal) }
        return .forward(records: records, delay: delay)
    }

    /// Returns true if the tape comes first: for a session of which anything may answer, and every host but those of
    /// `--passthrough`.
    private func asksTapeFirst(_ session: Session, _ reason: HostRules.Reason) -> Bool {
        if case .passthrough = reason { return false }
        return session.answers
    }

    /// The reason why a request that would pass on to this machine does not.
    private func localRefusal(_ origin: Origin, _ reason: HostRules.Reason) -> TargetRefusal? {
        let configuration = self.deck.configuration
        guard reason.isLocal(origin), !configuration.passesLocal, !configuration.targets.allowsPrivate(origin) else {
            return nil
        }
        return TargetRefusal(origin, .thisMachine)
    }

    // MARK: Hosts

    /// - Parameter isAsked: true if the deck stands for the origin.
    private mutating func hostVerdict(on origin: Origin, _ session: Session, isAsked: Bool) -> HostRules.Verdict {
        let verdict = self.hostVerdict(on: origin)
        guard verdict != .usual else { return .usual }
        let mode = session.mode
        // A separate session records all its requests; the default one also gets requests because of an inherited
        // environment.
        let isForSession = mode.records && session !== self.deck.sessions.default
        let applied = verdict.applied(to: origin, in: mode, isAsked: isAsked || isForSession)
        // In `replay` it is unmatched then, as it would be for any other host.
        return applied == .passThrough(.local) && !self.deck.configuration.passesLocal ? .usual : applied
    }

    private mutating func hostVerdict(on origin: Origin) -> HostRules.Verdict {
        if let known = self.known, known.origin == origin { return known.verdict }
        let verdict = self.deck.configuration.recording.hosts.verdict(on: origin)
        self.known = (origin, verdict)
        return verdict
    }

    // MARK: Tunnels

    /// The action for a tunnel.
    enum TunnelVerdict {
        /// Both ends are here, and what comes through it are requests like any other.
        case intercept
        case passThrough(HostRules.Reason)
        case block(pattern: String)
        case refuseTarget(TargetRefusal)
    }

    /// The verdict on a tunnel to an origin. It is intercepted if the tape may have something for its host.
    mutating func tunnelVerdict(on origin: Origin, _ session: Session) -> TunnelVerdict {
        switch self.hostVerdict(on: origin, session, isAsked: false) {
        case .usual:
            return .intercept
        case .block(let pattern):
            return .block(pattern: pattern)
        case .passThrough(let reason):
            if self.asksTapeFirst(session, reason), session.tapes.mayAnswer(host: origin.host, port: origin.port) {
                return .intercept
            }
            return self.localRefusal(origin, reason).map { .refuseTarget($0) } ?? .passThrough(reason)
        }
    }
}

@available(*, unavailable)
extension RequestJudge: Sendable {}
