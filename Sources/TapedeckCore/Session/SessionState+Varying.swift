/// Requests whose values vary from run to run.
extension SessionState {
    /// A request that nothing on tape matches, with what is needed to compare it without the session's lock.
    package struct VaryingRequest: Sendable {
        fileprivate let request: MatchRequest
        fileprivate let tapes: TapeStack
        fileprivate let state: [String: String]
        fileprivate let bindings: ValueBindings
        /// The names that its unknown secrets may have, the likeliest first; `[nil]` for a request without secrets.
        fileprivate let attempts: [SecretBindings.Attempt?]

        /// The tape that it is compared with.
        package var tape: Tape { self.tapes.cassettes }

        private func searches(_ run: VaryingRun, _ index: VariationIndex) -> some Sequence<VariationSearch> {
            self.attempts.lazy.map { self.search(run, index, $0) }
        }

        private func search(
            _ run: VaryingRun,
            _ index: VariationIndex,
            _ secrets: SecretBindings.Attempt?
        ) -> VariationSearch {
            VariationSearch(
                tape: self.tape,
                request: self.facts(self.request, secrets),
                run: run,
                bindings: self.bindings,
                index: index
            )
        }

        private func facts(_ request: MatchRequest, _ secrets: SecretBindings.Attempt?) -> RequestFacts {
            RequestFacts(request, secrets: secrets, state: self.state, scratch: PatternScratch())
        }

        /// Returns true if its body decides whether it is that of a set.
        package func needsBody(_ run: VaryingRun, _ index: VariationIndex) -> Bool {
            let known = self.bindings.recorded(in: self.request).map { self.facts($0, self.attempts[0]) }
            return known.map { self.tape.needsBody($0) } ?? false
                || self.searches(run, index).contains(where: \.needsBody)
        }

        /// Returns the request with the set that it is for; `nil` if there is none.
        package func variation(_ run: VaryingRun, _ index: VariationIndex) -> Variation? {
            // With nothing but known values it is one of the tape.
            if let known = self.bindings.recorded(in: self.request),
                let entry = self.tape.match(self.facts(known, self.attempts[0]))
            {
                let found = TapeVariation(entry: entry, pairs: [], places: ["known values"])
                return Variation(request: self, secrets: self.attempts[0], found: found)
            }
            for attempt in self.attempts {
                guard let found = self.search(run, index, attempt).find() else { continue }
                return Variation(request: self, secrets: attempt, found: found)
            }
            return nil
        }
    }

    /// A request that is that of a set, but for values that vary.
    package struct Variation: Sendable {
        fileprivate let request: VaryingRequest
        fileprivate let secrets: SecretBindings.Attempt?
        fileprivate let found: TapeVariation
    }

    /// The maximum number of ways to name the secrets of a request that varies, each with a search of its own.
    private static var attemptLimit: Int { 16 }

    /// Returns an unmatched request to be compared with the tape; `nil` in modes that do not play.
    package func varying(_ request: MatchRequest) -> VaryingRequest? {
        guard self.mode.plays else { return nil }
        let attempts = request.redacted.map { redacted in
            Array(
                self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: true)
                    .prefix(Self.attemptLimit)
            )
        }
        return VaryingRequest(
            request: request,
            tapes: self.tapes,
            state: self.state,
            bindings: self.bindings,
            attempts: attempts ?? [nil]
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
            secrets: variation.secrets,
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
        self.note(varied: variation.found.places, of: self.tapes.cassettes.entries[variation.found.entry].set.name)
        if let attempt = variation.secrets, let redacted = variation.request.request.redacted {
            self.bind(attempt, redacted, for: self.tapes.cassettes.entries[variation.found.entry])
        }
        return play
    }
}
