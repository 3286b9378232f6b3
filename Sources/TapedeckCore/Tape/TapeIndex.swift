/// Finds the set that answers a request, in time that does not grow with the number of sets.
///
/// Every set has a place in the ``Order`` of asking. The look-ups give the few sets that may answer; of those that do, the
/// one with the smallest place wins.
struct TapeIndex: Sendable {
    /// The precedence of two sets. A higher priority always comes first.
    enum Order: Sendable {
        /// The more particular kind of URL, then the more conditions, then the order of the files.
        case particularFirst
        /// The order in which the sets are listed, whatever their conditions.
        case asListed
    }

    /// Decides between two sets before the order of the files does.
    struct Rank: Sendable, Comparable {
        var priority: Int
        var url: Int
        var conditions: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (right.priority, left.url, right.conditions) < (left.priority, right.url, left.conditions)
        }
    }

    /// The sets in the order of asking.
    let order: [Int32]
    /// The place of each set in it.
    private let places: [Int32]
    private let ranks: [Rank]
    /// Those of whole URLs come first, if there are any.
    private var exact: [ExactLookup] = []
    private var patterns: [PatternLookup] = []
    private var knowsWholeURLsOnly = false
    private let needsBody: [Bool]
    let mayNeedBody: Bool

    /// - Parameter usesBody: whether each set has an answer that depends on the request's body.
    init(_ entries: [Tape.Entry], order asking: Order, usesBody: [Bool]) {
        let ranks = entries.map { entry in
            Rank(
                priority: entry.set.priority,
                url: entry.matcher.urlRank,
                conditions: entry.matcher.conditionCount + entry.set.requires.count
            )
        }
        let order = entries.indices.sorted { left, right in
            switch asking {
            case .particularFirst: (ranks[left], left) < (ranks[right], right)
            case .asListed: (ranks[right].priority, left) < (ranks[left].priority, right)
            }
        }
        var places = [Int32](repeating: 0, count: entries.count)
        for (place, entry) in order.enumerated() { places[entry] = Int32(place) }
        self.ranks = ranks
        self.order = order.map(Int32.init)
        self.places = places
        self.needsBody = zip(entries, usesBody).map { $0.matcher.needsBody || $1 }
        self.mayNeedBody = self.needsBody.contains(true)
        var groups: [(query: URLProjection.Query, sets: [(entry: Int, matcher: CompiledMatcher)])] = []
        for entry in order {
            let matcher = entries[entry].matcher
            switch matcher.url {
            case .exact(let url, let projection):
                self.insert(entry, matcher, url: url, projection, capacity: entries.count)
            case .pattern(_, let projection, _):
                Self.add(entry, matcher, projection.query, to: &groups)
            case .any:
                Self.add(entry, matcher, .all, to: &groups)
            }
        }
        self.patterns = groups.map { PatternLookup(query: $0.query, $0.sets) }
        self.knowsWholeURLsOnly =
            groups.isEmpty && self.exact.count == 1 && self.exact[0].projection == .whole
            && !entries.contains { $0.matcher.urlAsksForSecrets }
    }

    private mutating func insert(
        _ entry: Int,
        _ matcher: CompiledMatcher,
        url: [UInt8],
        _ projection: URLProjection,
        capacity: Int
    ) {
        if let index = self.exact.firstIndex(where: { $0.projection == projection }) {
            self.exact[index].insert(entry, matcher, url: url)
        } else {
            var lookup = ExactLookup(projection, capacity: projection == .whole ? capacity : 0)
            lookup.insert(entry, matcher, url: url)
            self.exact.insert(lookup, at: projection == .whole ? 0 : self.exact.count)
        }
    }

    private static func add(
        _ entry: Int,
        _ matcher: CompiledMatcher,
        _ query: URLProjection.Query,
        to groups: inout [(query: URLProjection.Query, sets: [(entry: Int, matcher: CompiledMatcher)])]
    ) {
        if let index = groups.firstIndex(where: { $0.query == query }) {
            groups[index].sets.append((entry, matcher))
        } else {
            groups.append((query, [(entry, matcher)]))
        }
    }

    func rank(_ entry: Int) -> Rank { self.ranks[entry] }
    func place(of entry: Int) -> Int { Int(self.places[entry]) }

    // MARK: Asking

    /// Returns the first set of a URL, on a tape with only whole URLs; else -1.
    func first(_ key: RequestKey) -> Int {
        self.knowsWholeURLsOnly ? self.exact[0].first(key) : -1
    }

    func first(_ request: RequestFacts, in entries: [Tape.Entry], after: Int?) -> Int? {
        let floor = after.map { self.places[$0] } ?? -1
        var best = Int32.max
        self.look(for: request, by: request, in: entries, above: floor, best: &best)
        if let redacted = Self.otherView(of: request) {
            self.look(for: request, by: redacted, in: entries, above: floor, best: &best)
        }
        return best == .max ? nil : Int(self.order[Int(best)])
    }

    /// The request with placeholders, if that changes its URL.
    private static func otherView(of request: RequestFacts) -> RequestFacts? {
        request.redacted.flatMap { $0.key == request.key ? nil : $0 }
    }

    /// - Parameter view: by whose URL the sets are found.
    private func look(
        for request: RequestFacts,
        by view: RequestFacts,
        in entries: [Tape.Entry],
        above floor: Int32,
        best: inout Int32
    ) {
        for lookup in self.exact {
            let chains = lookup.chains(for: view)
            for chain in [chains.own, chains.any] where chain >= 0 {
                var asked = lookup.entries(of: chain, askingFor: request)
                if let redacted = request.redacted { asked += lookup.entries(of: chain, askingFor: redacted) }
                for entry in asked {
                    let place = self.places[Int(entry)]
                    if place > floor, place < best, entries[Int(entry)].stateHolds(request) { best = place }
                }
                var lists = lookup.calls(of: chain, askingFor: request)
                if let redacted = request.redacted { lists += lookup.calls(of: chain, askingFor: redacted) }
                for sets in lists + [lookup.chain(chain).others] {
                    self.search(sets, above: floor, best: &best) { entry in
                        request.judge(entry) { entries[entry].conditionsHold(request) }
                    }
                }
            }
        }
        for lookup in self.patterns {
            self.search(lookup.candidates(view), above: floor, best: &best) { entry in
                entries[entry].matcher.takesMethod(request.method)
                    && request.judge(entry) {
                        entries[entry].matcher.takesURL(request) && entries[entry].conditionsHold(request)
                    }
            }
        }
    }

    /// Searches sets in the order of precedence.
    private func search(_ entries: [Int32], above floor: Int32, best: inout Int32, answers: (Int) -> Bool) {
        let start = floor < 0 ? 0 : entries.partitioningIndex { self.places[Int($0)] > floor }
        for entry in entries[start...] {
            let place = self.places[Int(entry)]
            guard place < best else { return }
            if answers(Int(entry)) {
                best = place
                return
            }
        }
    }

    /// True if a set with this method and URL depends on the body.
    func needsBody(_ request: RequestFacts, in entries: [Tape.Entry]) -> Bool {
        guard self.mayNeedBody else { return false }
        return self.needsBody(request, by: request, in: entries)
            || Self.otherView(of: request).map { self.needsBody(request, by: $0, in: entries) } ?? false
    }

    private func needsBody(_ request: RequestFacts, by view: RequestFacts, in entries: [Tape.Entry]) -> Bool {
        for lookup in self.exact {
            let chains = lookup.chains(for: view)
            for chain in [chains.own, chains.any] where chain >= 0 {
                let chain = lookup.chain(chain)
                if chain.needsBody || chain.others.contains(where: { self.needsBody[Int($0)] }) { return true }
            }
        }
        return self.patterns.contains { lookup in
            lookup.candidates(view).contains { entry in
                self.needsBody[Int(entry)] && entries[Int(entry)].matcher.takesMethod(request.method)
                    && entries[Int(entry)].matcher.takesURL(request)
            }
        }
    }
}
