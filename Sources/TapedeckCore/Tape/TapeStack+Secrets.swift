/// Matching of sets that name secrets by placeholders.
extension TapeStack {
    /// The sets that match, and what had to be assumed for it.
    struct Assumed {
        var candidates: Candidates
        var attempt: SecretBindings.Attempt
        /// The names in the conditions of the first set; `nil` is any.
        var askedFor: Set<String>?
    }

    /// Returns the sets that match a request once its unknown secrets have names of the tape: names with which a set
    /// with placeholders matches, else the likeliest ones. A set without placeholders can still answer.
    func assume(
        _ matchRequest: MatchRequest,
        _ redacted: RedactedRequest,
        _ bindings: SecretBindings,
        state: [String: String],
        scratch: PatternScratch
    ) -> Assumed? {
        let names = self.secretNames
        var best: Assumed?
        for onlyOwnKind in [true, false] {
            for attempt in bindings.attempts(redacted, names: names, onlyOwnKind: onlyOwnKind) {
                let candidates = self.candidates(matchRequest, secrets: attempt, state: state, scratch: scratch)
                let asked = candidates.first.map { $0.tape.entries[$0.entry] }
                let assumed = Assumed(
                    candidates: candidates,
                    attempt: attempt,
                    askedFor: asked.map { $0.mayAskForAnySecret ? nil : $0.secrets } ?? []
                )
                guard let asked, asked.asksForSecrets else {
                    if best == nil { best = assumed }
                    continue
                }
                let isProven = redacted.unknown.contains { unknown in
                    asked.mayAskForAnySecret || attempt.names[unknown.number].map(asked.secrets.contains) ?? false
                }
                if isProven || redacted.unknown.isEmpty { return assumed }
                if best?.asksForSecrets != true { best = assumed }
            }
            // A value that no set of its kind requires is not a secret of the tape, if a set matches without it.
            if best?.asksForSecrets == true || redacted.unknown.isEmpty { break }
        }
        return best
    }
}

extension TapeStack {
    /// Returns the request for a report, which binds nothing.
    ///
    /// - Parameter bindings: the session's.
    func facts(
        _ matchRequest: MatchRequest,
        _ bindings: SecretBindings,
        state: [String: String],
        scratch: PatternScratch
    ) -> (candidates: Candidates, request: RequestFacts) {
        let assumed = matchRequest.redacted.flatMap {
            self.assume(matchRequest, $0, bindings, state: state, scratch: scratch)
        }
        let request = RequestFacts(matchRequest, secrets: assumed?.attempt, state: state, scratch: scratch)
        let candidates = assumed?.candidates
        return (candidates ?? self.candidates(matchRequest, secrets: nil, state: state, scratch: scratch), request)
    }
}

extension TapeStack.Assumed {
    fileprivate var asksForSecrets: Bool { self.askedFor.map { !$0.isEmpty } ?? true }
}
