/// Requests whose values vary from run to run.
extension SessionState {
    /// A request that nothing on tape matches, with what is needed to compare it without the session's lock.
    package struct VaryingRequest: Sendable {
        fileprivate let request: MatchRequest
        fileprivate let tapes: TapeStack
        fileprivate let state: [String: String]
        fileprivate let bindings: ValueBindings
        fileprivate let secrets: SecretBindings.Attempt?

        /// The tape that it is compared with.
        package var tape: Tape { self.tapes.cassettes }

        private func search(_ now: Instant, _ surroundings: Surroundings, _ index: VariationIndex) -> VariationSearch {
            VariationSearch(
                tape: self.tape,
                request: self.facts(self.request),
                now: now,
                surroundings: surroundings,
                bindings: self.bindings,
                index: index
            )
        }

        private func facts(_ request: MatchRequest) -> RequestFacts {
            RequestFacts(request, secrets: self.secrets, state: self.state, scratch: PatternScratch())
        }

        /// Returns true if its body decides whether it is that of a set.
        package func needsBody(_ now: Instant, _ surroundings: Surroundings, _ index: VariationIndex) -> Bool {
            let known = self.bindings.recorded(in: self.request).map(self.facts)
            return known.map { self.tape.needsBody($0) } ?? false || self.search(now, surroundings, index).needsBody
        }

        /// Returns the request with the set that it is for; `nil` if there is none.
        package func variation(_ now: Instant, _ surroundings: Surroundings, _ index: VariationIndex) -> Variation? {
            // With nothing but known values it is one of the tape.
            if let known = self.bindings.recorded(in: self.request), let entry = self.tape.match(self.facts(known)) {
                return Variation(request: self, found: TapeVariation(entry: entry, pairs: [], places: ["known values"]))
            }
            return self.search(now, surroundings, index).find().map { Variation(request: self, found: $0) }
        }
    }

    /// A request that is that of a set, but for values that vary.
    package struct Variation: Sendable {
        fileprivate let request: VaryingRequest
        fileprivate let found: TapeVariation
    }

    /// Returns an unmatched request to be compared with the tape; `nil` in modes that do not play.
    package func varying(_ request: MatchRequest) -> VaryingRequest? {
        guard self.mode.plays else { return nil }
        let secrets = request.redacted.flatMap { redacted in
            self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: true).first
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
        self.bind(variation.found.pairs)
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
            entry: variation.found.entry,
            request: request,
            variedPlaces: variation.found.places
        )
        guard case .decided(.play(let play)) = self.perform(candidate) else {
            self.bindings = before
            return nil
        }
        return play
    }
}
