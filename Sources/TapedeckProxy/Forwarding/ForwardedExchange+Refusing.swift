import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Exchanges that end before their origin is asked, and what passes by a rule.
extension ForwardedExchange {
    func refuseOwnAddress() {
        self.phase = .done
        self.recording?.discard()
        let client = self.client
        client.refuseOwnAddress(self.request)
        client.goOn()
    }

    func refuseTarget(_ refusal: TargetRefusal) {
        self.phase = .done
        self.recording?.discard()
        let client = self.client
        // Where the rest of the body is not read, no other request can be.
        var abilities = self.request.client
        abilities.keepsAlive = abilities.keepsAlive && (self.requestEnd != nil || client.decoder.endsNow)
        client.refuseTarget(self.request, refusal, for: abilities)
        client.goOn()
    }

    /// Answers as if the request had not been passed on, where nobody on this machine takes it and the tape has sets for
    /// its origin. Returns whether it did.
    func refuseUnreachable() -> Bool {
        guard self.phase == .connecting, self.request.isLocal, !self.request.session.mode.dialsOut,
            let report = self.request.session.refuseUnreachable(self.request.line)
        else { return false }
        self.phase = .done
        let client = self.client
        self.trace?.outcome(.unmatched(report))
        client.logUnmatched(report)
        var abilities = self.request.client
        abilities.keepsAlive = abilities.keepsAlive && (self.requestEnd != nil || client.decoder.endsNow)
        client.answer(.unmatched(report), for: abilities)
        client.goOn()
        return true
    }

    /// Counts the request as passed through, once, if a rule lets it pass.
    func notePassed() {
        guard !self.isPassed, self.recording == nil, let reason = self.request.passing else { return }
        self.isPassed = true
        self.request.session.notePassed(self.origin, reason, isTunnel: false)
    }
}
