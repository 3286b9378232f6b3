/// Priorities with which sets answer in the order in which another tool lists them.
package enum ListedOrder {
    /// The most pairs of sets that are compared. Beyond it, each set has a priority of its own.
    private static let pairLimit = 1_000_000

    /// Returns the priorities of sets of which the first that matches is to answer: as few as possible, since sets for which
    /// no request is meant for both need none, nor those that Tapedeck tries in this order anyway.
    ///
    /// - Parameter sets: their own priorities are ignored.
    package static func priorities(of sets: [ResponseSet]) -> [Int] {
        var plain = sets
        for index in plain.indices { plain[index].priority = 0 }
        let tape = Tape([Cassette(name: "stubs", responseSets: plain)])
        let proof = AmbiguityProof(tape)
        var levels = Array(repeating: 0, count: sets.count)
        var later = Later()
        for entry in sets.indices.reversed() {
            let others = later.mayMeet(tape.entries[entry].matcher.url)
            later.pairs += others.count
            guard later.pairs <= Self.pairLimit else { return sets.indices.reversed().map { $0 } }
            for other in others {
                let isInOrder = !(tape.rank(of: other) < tape.rank(of: entry))
                let level = levels[other] + (isInOrder ? 0 : 1)
                guard level > levels[entry], !proof.mayNotMeet(entry, other) else { continue }
                levels[entry] = level
            }
            later.add(entry, tape.entries[entry].matcher.url)
        }
        return levels
    }

    /// The sets behind one, by their URLs.
    private struct Later {
        var pairs = 0
        private var exact: [URLProjection: [[UInt8]: [Int]]] = [:]
        private var others: [Int] = []
        private var all: [Int] = []

        /// Those that may match a request that a set of a URL matches. Two whole URLs of one kind meet if they are equal.
        func mayMeet(_ url: CompiledMatcher.URLCondition) -> [Int] {
            guard case .exact(let bytes, let projection) = url else { return self.all }
            var found = self.others
            for (other, sets) in self.exact {
                found += other == projection ? sets[bytes] ?? [] : sets.values.flatMap { $0 }
            }
            return found
        }

        mutating func add(_ entry: Int, _ url: CompiledMatcher.URLCondition) {
            self.all.append(entry)
            if case .exact(let bytes, let projection) = url {
                self.exact[projection, default: [:]][bytes, default: []].append(entry)
            } else {
                self.others.append(entry)
            }
        }
    }
}
