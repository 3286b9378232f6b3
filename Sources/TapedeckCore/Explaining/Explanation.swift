/// The set that answers a request and the reasons, or the reasons why no set does.
package struct Explanation: Sendable {
    /// A set that matches.
    package struct Candidate: Sendable {
        package var set: String
        package var cassette: String
        package var variant: String
        /// The number of the set on its tape.
        package var entry: Int
        /// The kind of match: exact URL, template, pattern or host, and the number of conditions.
        package var rule: String
        /// The conditions of the set.
        package var parts: [MatchPart]
        /// The values of the URL's captures, by name.
        package var captures: [(name: String, value: String)]
    }

    /// In the order in which they are tried: the first one answers.
    package var candidates: [Candidate]
    /// Without a candidate: the closest sets.
    package var nearest: [UnmatchedReport.NearMiss]
    /// The sets whose pattern was cut off on the way.
    package var cutOff: [String]
}

extension Explanation {
    /// Returns a copy with `change` applied to every text that may come from the request.
    package func mapTexts(_ change: (String) -> String) -> Explanation {
        var explanation = self
        for index in explanation.candidates.indices {
            explanation.candidates[index].parts = explanation.candidates[index].parts.map { $0.mapTexts(change) }
            explanation.candidates[index].captures = explanation.candidates[index].captures.map {
                ($0.name, change($0.value))
            }
        }
        for index in explanation.nearest.indices {
            explanation.nearest[index].parts = explanation.nearest[index].parts.map { $0.mapTexts(change) }
        }
        return explanation
    }
}

extension TapeStack {
    /// Looks at many sets: not to be called while a lock is held.
    ///
    /// - Parameters:
    ///   - bindings: the session's secrets.
    ///   - varying: the session's values; `nil` where requests must equal the recorded ones.
    package func explain(
        _ matchRequest: MatchRequest,
        _ bindings: SecretBindings = SecretBindings(),
        state: [String: String]? = nil,
        selection: Selection = Selection(),
        varying: VaryingParts? = nil
    ) -> Explanation {
        let scratch = PatternScratch()
        let state = state ?? self.cassettes.initialState
        var found: [Explanation.Candidate] = []
        var (candidates, request) = self.facts(matchRequest, bindings, state: state, scratch: scratch)
        var last: Candidate?
        while let next = candidates.next() {
            found.append(next.tape.explain(next, selection, before: last))
            last = next
        }
        let nearest = found.isEmpty ? NearMisses(tapes: self, varying: varying).find(request) : []
        return Explanation(candidates: found, nearest: nearest, cutOff: candidates.cutOff.sorted())
    }

    /// Explains why nothing here answers a request. Examines many sets, so do not call it while a lock is held.
    ///
    /// - Parameters:
    ///   - bindings: the session's secrets.
    ///   - varying: the session's values; `nil` where requests must equal the recorded ones.
    package func explainMiss(
        _ matchRequest: MatchRequest,
        _ bindings: SecretBindings = SecretBindings(),
        state: [String: String],
        reason: MissReason,
        session: String,
        mode: Mode,
        varying: VaryingParts? = nil
    ) -> UnmatchedReport {
        let request = self.facts(matchRequest, bindings, state: state, scratch: PatternScratch()).request
        let isAboutMatching = reason == .noMatch || reason == .cutOff
        var report = UnmatchedReport(
            request: request.shown.line,
            session: session,
            mode: mode,
            cassettes: self.cassettes.cassettes.map(\.name),
            candidates: self.layers.reduce(0) { $0 + $1.tape.entries.count },
            reason: reason,
            nearest: isAboutMatching ? NearMisses(tapes: self, varying: varying).find(request) : []
        )
        report.isOriginOnTape = matchRequest.key.origin.map { self.hasSets(of: $0) } ?? false
        return report
    }
}

extension Tape {
    fileprivate func explain(
        _ candidate: TapeStack.Candidate,
        _ selection: Selection,
        before: TapeStack.Candidate?
    ) -> Explanation.Candidate {
        let (entry, request) = (candidate.entry, candidate.request)
        let set = self.entries[entry].set
        let effective = self.effectiveVariant(of: entry, selection)
        let base: String
        switch effective.base {
        case .variant(let number): base = set.variants[number].name
        case .builtIn(let builtIn): base = "\(builtIn.rawValue) (built in)"
        }
        let variant = ([base] + effective.wrappers.map { "\($0.rawValue) (built in)" }).joined(separator: ", ")
        return Explanation.Candidate(
            set: set.name,
            cassette: self.cassettes[self.entries[entry].cassette].name,
            variant: variant,
            entry: entry,
            rule: before.map { self.rule($0, over: candidate) } ?? self.rule(entry),
            parts: MatcherReport(request: request).parts(self.entries[entry], matches: true),
            captures: self.captures(of: entry, request)
        )
    }

    /// By name, or by number if it has no name.
    private func captures(of entry: Int, _ request: RequestFacts) -> [(name: String, value: String)] {
        let all = self.entries[entry].matcher.captures(request.shown).sorted { $0.key < $1.key }
        let named = all.filter { Int($0.key) == nil }
        return (named.isEmpty ? all : named).map { (name: $0.key, value: SecretMasking.shown($0.value, name: $0.key)) }
    }

    /// Describes the kind of match.
    package func rule(_ entry: Int) -> String {
        let rank = self.rank(of: entry)
        let priority = rank.priority == 0 ? "" : "priority \(rank.priority), "
        return "\(priority)\(Self.urlKinds[rank.url]), \(Self.conditions(rank.conditions))"
    }

    private static func conditions(_ count: Int) -> String {
        count == 1 ? "1 condition" : "\(count) conditions"
    }

    private static let urlKinds = ["exact URL", "URL template", "URL pattern", "no URL"]

    /// Explains why `winner` comes before `entry`.
    private func rule(_ winner: TapeStack.Candidate, over candidate: TapeStack.Candidate) -> String {
        let first = winner.tape.rank(of: winner.entry)
        let second = self.rank(of: candidate.entry)
        if winner.layer != candidate.layer {
            return winner.layer == .added
                ? "asked later: a set that was added to the session comes first"
                : "asked later: an added set with a negative priority comes after the cassettes"
        }
        if first.priority != second.priority {
            return "asked later: priority \(second.priority), not \(first.priority)"
        }
        if winner.layer == .added {
            return "asked later: it was added earlier"
        }
        if first.url != second.url {
            return "asked later: \(Self.urlKinds[second.url]), not \(Self.urlKinds[first.url])"
        }
        if first.conditions != second.conditions {
            return "asked later: \(Self.conditions(second.conditions)), not \(first.conditions)"
        }
        return "asked later: it comes later in the file, and nothing else tells them apart"
    }
}
