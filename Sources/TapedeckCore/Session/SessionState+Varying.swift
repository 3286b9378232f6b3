/// Requests whose values vary from run to run.
extension SessionState {
    /// A request that nothing on tape matches, with what is needed to compare it without the session's lock.
    package struct VaryingRequest: Sendable {
        fileprivate let request: MatchRequest
        fileprivate let tapes: TapeStack
        fileprivate let state: [String: String]
        fileprivate let bindings: ValueBindings
        fileprivate let secrets: SecretBindings.Attempt?

        private func search(_ now: Instant, _ surroundings: Surroundings, _ scratch: PatternScratch) -> VariationSearch
        {
            let request = RequestFacts(self.request, secrets: self.secrets, state: self.state, scratch: scratch)
            return VariationSearch(
                tape: self.tapes.cassettes,
                request: request,
                now: now,
                surroundings: surroundings,
                bindings: self.bindings
            )
        }

        /// Returns true if its body decides whether it is that of a set.
        package func needsBody(_ now: Instant, _ surroundings: Surroundings) -> Bool {
            self.search(now, surroundings, PatternScratch()).needsBody
        }

        /// Returns the request with the set that it is for; `nil` if there is none.
        package func variation(_ now: Instant, _ surroundings: Surroundings) -> Variation? {
            self.search(now, surroundings, PatternScratch()).find()
                .map { Variation(request: self, entry: $0.entry, pairs: $0.pairs) }
        }
    }

    /// A request that is that of a set, but for values that vary.
    package struct Variation: Sendable {
        fileprivate let request: VaryingRequest
        fileprivate let entry: Int
        /// The values to bind.
        package let pairs: [ValueBindings.Pair]
    }

    /// Returns an unmatched request to be compared with the tape; `nil` in modes other than `replay`.
    package func varying(_ request: MatchRequest) -> VaryingRequest? {
        guard self.mode == .replay else { return nil }
        let secrets = request.redacted.flatMap { redacted in
            self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: true).first { _ in true }
        }
        return VaryingRequest(
            request: request,
            tapes: self.tapes,
            state: self.state,
            bindings: self.bindings,
            secrets: secrets
        )
    }

    /// Answers a request as that of its set, and binds its values; `nil` if the tape has been replaced, or the set has no
    /// answer.
    package mutating func answer(_ variation: Variation) -> Play? {
        guard variation.request.tapes.cassettes === self.tapes.cassettes else { return nil }
        let before = self.bindings
        self.bind(variation.pairs)
        self.scratch.beginRequest()
        let request = RequestFacts(
            variation.request.request,
            secrets: variation.request.secrets,
            state: self.state,
            scratch: self.scratch
        )
        let candidate = TapeStack.Candidate(
            layer: .cassettes,
            tape: self.tapes.cassettes,
            entry: variation.entry,
            request: request
        )
        guard case .decided(.play(let play)) = self.perform(candidate) else {
            self.bindings = before
            return nil
        }
        return play
    }
}
