/// Requests whose values vary from run to run.
extension SessionState {
    /// A request that nothing on tape matches, with what is needed to compare it without the session's lock.
    package struct VaryingRequest: Sendable {
        fileprivate let request: MatchRequest
        fileprivate let tapes: TapeStack
        fileprivate let state: [String: String]
        fileprivate let bindings: ValueBindings
        fileprivate let learned: [Int: [VaryingPlace]]
        fileprivate let hits: HitCounts
        fileprivate let dateClock: VaryingComparison.DateClock?
        /// The names that its unknown secrets may have, the likeliest first; `[nil]` for a request without secrets.
        fileprivate let attempts: [SecretBindings.Attempt?]

        /// The tape that it is compared with.
        package var tape: Tape { self.tapes.cassettes }

        /// The request with the values of the tape in place of those of the session; `nil` if it has none.
        private var known: MatchRequest? { self.bindings.recorded(in: self.request) }

        private func search(
            _ run: VaryingRun,
            _ index: VariationIndex,
            _ secrets: SecretBindings.Attempt?,
            _ known: MatchRequest?,
            learns: Bool = false
        ) -> VariationSearch {
            let request = self.facts(self.request, secrets)
            return VariationSearch(
                tape: self.tape,
                request: request,
                known: known.map { self.facts($0, secrets) } ?? request,
                run: run,
                bindings: self.bindings,
                index: index,
                learned: self.learned,
                isUsed: { [hits] in hits[$0] > 0 },
                dateClock: self.dateClock,
                learns: learns
            )
        }

        private func facts(_ request: MatchRequest, _ secrets: SecretBindings.Attempt?) -> RequestFacts {
            RequestFacts(request, secrets: secrets, state: self.state, scratch: PatternScratch())
        }

        /// Returns true if its body decides whether it is that of a set.
        ///
        /// - Parameter learns: true if what varies in it is to be learned.
        package func needsBody(_ run: VaryingRun, _ index: VariationIndex, learns: Bool) -> Bool {
            let known = self.known
            if learns, self.search(run, index, self.attempts[0], known, learns: true).needsBody { return true }
            return known.map { self.tape.needsBody(self.facts($0, self.attempts[0])) } ?? false
                || self.attempts.contains { self.search(run, index, $0, known).needsBody }
        }

        /// Returns true if the call may become that of a set whose answer comes after all of its messages.
        ///
        /// - Parameter learns: true if what varies in it is to be learned.
        package func mayGoOn(_ run: VaryingRun, _ index: VariationIndex, learns: Bool) -> Bool {
            let known = self.known
            return self.attempts.contains { self.search(run, index, $0, known).mayGoOn }
                || learns && self.search(run, index, self.attempts[0], known, learns: true).mayGoOn
        }

        /// Returns the request with the set that it is for; `nil` if there is none.
        package func variation(_ run: VaryingRun, _ index: VariationIndex) -> Variation? {
            let known = self.known
            // With nothing but known values it is one of the tape.
            if let known, let entry = self.tape.match(self.facts(known, self.attempts[0])) {
                return self.variation(
                    TapeVariation(entry: entry, pairs: [], places: ["known values"]),
                    self.attempts[0]
                )
            }
            for attempt in self.attempts {
                guard let found = self.search(run, index, attempt, known).find() else { continue }
                return self.variation(found, attempt)
            }
            return nil
        }

        private func variation(_ found: TapeVariation, _ secrets: SecretBindings.Attempt?) -> Variation {
            Variation(request: self.request, tape: self.tape, secrets: secrets, found: found)
        }

        /// The statuses of the answers of the set that a request is for.
        func statuses(_ variation: Variation) -> [Int?] {
            self.tape.entries[variation.found.entry].set.variants.flatMap(\.behaviour.allTakes).map(\.status)
        }

        /// The places that are known to vary in the set that it is for.
        func places(_ run: VaryingRun, _ index: VariationIndex) -> [VaryingPlace] {
            self.variation(run, index).map { self.tape.entries[$0.found.entry].set.varies } ?? []
        }

        /// Returns the request with the set that it is for if two runs of one program ask for the same; `nil` if there is none.
        package func lesson(_ run: VaryingRun, _ index: VariationIndex) -> Variation? {
            let known = self.known
            for attempt in self.attempts {
                guard let found = self.search(run, index, attempt, known, learns: true).find() else { continue }
                return self.variation(found, attempt)
            }
            return nil
        }
    }

    /// A request that is that of a set, but for values that vary.
    package struct Variation: Sendable {
        fileprivate let request: MatchRequest
        fileprivate let tape: Tape
        fileprivate let secrets: SecretBindings.Attempt?
        fileprivate let found: TapeVariation
    }

    /// The maximum number of ways to name the secrets of a request that varies, each with a search of its own.
    private static var attemptLimit: Int { 16 }

    /// Returns an unmatched request to be compared with the tape; `nil` in modes that do not play.
    package mutating func varying(_ request: MatchRequest) -> VaryingRequest? {
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
            learned: self.learned.mapValues(\.places),
            hits: self.hits.cassettes,
            dateClock: self.dateClock,
            attempts: attempts ?? [nil]
        )
    }

    /// Answers a request as that of its set, and binds its values; `nil` if the tape has been replaced, or the set has no
    /// answer.
    package mutating func answer(_ variation: Variation) -> Play? {
        guard variation.tape === self.tapes.cassettes else { return nil }
        self.scratch.beginRequest()
        let request = RequestFacts(
            variation.request,
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
        self.ownPairs = variation.found.ownPairs
        defer { self.ownPairs = [] }
        guard case .decided(.play(let play)) = self.perform(candidate) else { return nil }
        self.bind(variation.found.pairs)
        self.note(varied: variation.found.places, of: self.tapes.cassettes.entries[variation.found.entry].set.name)
        self.dateClock = self.dateClock ?? variation.found.dateClock
        self.note(variation.found.lessons, of: variation.found.entry)
        if let attempt = variation.secrets, let redacted = variation.request.redacted {
            self.bind(attempt, redacted, for: self.tapes.cassettes.entries[variation.found.entry])
        }
        return play
    }
}

/// The places of a recorded set's request that two runs have shown to vary.
package struct LearnedPlaces: Sendable, Equatable {
    package private(set) var places: [VaryingPlace] = []
    /// A recorded and a live value for each piece, in the same order.
    package private(set) var examples: [Example] = []

    package struct Example: Sendable, Equatable, CustomStringConvertible {
        package var place: String
        package var piece: VaryingPiece
        package var recorded: String
        package var live: String

        /// `$.took: <number> (0.53, 0.61)`.
        package var description: String {
            // As JSON escapes them, so that no control character reaches a terminal.
            let values = [self.recorded, self.live].map { text in
                let shown = String(decoding: JSONValue.string(text).compactText.dropFirst().dropLast(), as: UTF8.self)
                return shown.count > 40 ? "\(shown.prefix(39))…" : shown
            }
            let shown = self.piece.shape == .order ? "" : " (\(values.joined(separator: ", ")))"
            return "\(self.place): \(self.piece)\(shown)"
        }
    }

    mutating func add(_ lessons: [VaryingLesson]) {
        for lesson in lessons {
            let example = Example(
                place: lesson.place,
                piece: lesson.piece,
                recorded: lesson.recorded,
                live: lesson.live
            )
            if !self.examples.contains(where: { $0.place == example.place && $0.piece == example.piece }) {
                self.examples.append(example)
            }
        }
        VaryingPlace.merge(lessons.map { VaryingPlace($0.place, [$0.piece]) }, into: &self.places)
    }
}

extension SessionState {
    /// The sets of its cassettes of which it has learned that places vary, in the order of the tape.
    package var lessons: [(cassette: Cassette, set: ResponseSet, learned: LearnedPlaces)] {
        self.learned.sorted { $0.key < $1.key }.map { number, learned in
            let entry = self.tape.entries[number]
            return (self.tape.cassettes[entry.cassette], entry.set, learned)
        }
    }

    private mutating func note(_ lessons: [VaryingLesson], of entry: Int) {
        // A program that has missed an answer may go on in another way.
        guard !lessons.isEmpty, self.unmatchedCount == 0 else { return }
        self.learned[entry, default: LearnedPlaces()].add(lessons)
    }
}
