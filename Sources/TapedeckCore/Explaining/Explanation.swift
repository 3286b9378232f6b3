/// Which set answers a request and why, or why none does.
package struct Explanation: Sendable {
    /// A set that matches.
    package struct Candidate: Sendable {
        package var set: String
        package var cassette: String
        package var variant: String
        /// Which set of the tape it is, by number.
        package var entry: Int
        /// By which rule it comes where it does.
        package var rule: String
        /// What it asked for.
        package var parts: [MatchPart]
        /// The values of the URL's captures, by name.
        package var captures: [(name: String, value: String)]
    }

    /// In the order in which they are asked: the first one answers.
    package var candidates: [Candidate]
    /// When there is no candidate: the sets that came closest.
    package var nearest: [UnmatchedReport.NearMiss]
    /// The sets whose pattern was cut off on the way.
    package var cutOff: [String]
}

extension Tape {
    /// Looks at many sets: not to be called while a lock is held.
    package func explain(
        _ inquiry: Inquiry,
        state: [String: String]? = nil,
        selection: Selection = Selection()
    ) -> Explanation {
        let scratch = PatternScratch()
        let request = RequestFacts(inquiry, state: state ?? self.initialState, scratch: scratch)
        var candidates: [Explanation.Candidate] = []
        var last: Int?
        while let entry = self.match(request, after: last) {
            let next = self.candidate(entry, request, selection, before: last)
            candidates.append(next)
            last = entry
        }
        let cutOff = request.cutOff.map { self.entries[$0].set.name }
        let nearest = candidates.isEmpty ? NearMisses(tape: self).find(request) : []
        return Explanation(candidates: candidates, nearest: nearest, cutOff: cutOff.sorted())
    }

    /// Why nothing here answers a request. Looks at many sets: not to be called while a lock is held.
    package func explainMiss(
        _ inquiry: Inquiry,
        state: [String: String],
        reason: MissReason,
        session: String,
        mode: Mode
    ) -> UnmatchedReport {
        let request = RequestFacts(inquiry, state: state, scratch: PatternScratch())
        let isAboutMatching = reason == .noMatch || reason == .cutOff
        return UnmatchedReport(
            request: request.line,
            session: session,
            mode: mode,
            cassettes: self.cassettes.map(\.name),
            candidates: self.entries.count,
            reason: reason,
            nearest: isAboutMatching ? NearMisses(tape: self).find(request) : []
        )
    }

    private func candidate(
        _ entry: Int,
        _ request: RequestFacts,
        _ selection: Selection,
        before: Int?
    ) -> Explanation.Candidate {
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
            rule: before.map { self.rule($0, over: entry) } ?? self.rule(entry),
            parts: MatcherReport(request: request).parts(self.entries[entry], matches: true),
            captures: self.captures(of: entry, request)
        )
    }

    /// By name, or by number where none has a name.
    private func captures(of entry: Int, _ request: RequestFacts) -> [(name: String, value: String)] {
        let all = self.entries[entry].matcher.captures(request).sorted { $0.key < $1.key }
        let named = all.filter { Int($0.key) == nil }
        return (named.isEmpty ? all : named).map { (name: $0.key, value: Discretion.shown($0.value, name: $0.key)) }
    }

    /// What kind of match it is.
    private func rule(_ entry: Int) -> String {
        let rank = self.rank(of: entry)
        let priority = rank.priority == 0 ? "" : "priority \(rank.priority), "
        return "\(priority)\(Self.urlKinds[rank.url]), \(Self.conditions(rank.conditions))"
    }

    private static func conditions(_ count: Int) -> String {
        count == 1 ? "1 condition" : "\(count) conditions"
    }

    private static let urlKinds = ["exact URL", "URL template", "URL pattern", "no URL"]

    /// Why `winner` is asked before `entry`.
    private func rule(_ winner: Int, over entry: Int) -> String {
        let first = self.rank(of: winner)
        let second = self.rank(of: entry)
        if first.priority != second.priority {
            return "asked later: priority \(second.priority), not \(first.priority)"
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
