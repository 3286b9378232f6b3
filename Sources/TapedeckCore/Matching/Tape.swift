/// The cassettes of a session, compiled: immutable, and shared by all who play it.
package final class Tape: Sendable {
    /// A response set as the index sees it.
    package struct Entry: Sendable {
        package let set: ResponseSet
        /// Which cassette it came from.
        package let cassette: Int
    }

    /// The takes of an entry's default variant, by number.
    private struct TakeRange {
        var first: Int
        var last: Int
    }

    package let cassettes: [String]
    package let entries: [Entry]
    /// All takes, numbered across the tape.
    package let takes: [Take]
    private let index: ExactIndex
    private let bodies: BodyIndex
    /// For a chain that begins with conditions, the first set that has none.
    private let unconditional: [Int: Int]
    private let takesAnyMethod: Bool
    // What every request asks for stands in arrays of its own, so that no entry or take is copied to look at it.
    private let kinds: [TakeKind]
    private let takeRanges: [TakeRange]
    private let isConditional: [Bool]
    /// Whether any set has a condition on the body.
    package let hasConditions: Bool

    /// What playing a take depends on, without touching the take itself.
    package struct TakeKind: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Nothing but a fault is played.
        package static let fault = TakeKind(rawValue: 1)
        /// The body has a content coding, so what is played depends on what the client accepts.
        package static let coded = TakeKind(rawValue: 2)
    }

    package init(_ cassettes: [Cassette]) {
        var entries: [Entry] = []
        var takes: [Take] = []
        var takeRanges: [TakeRange] = []
        for (number, cassette) in cassettes.enumerated() {
            for set in cassette.responseSets {
                if let variant = set.variants.first {
                    takeRanges.append(TakeRange(first: takes.count, last: takes.count + variant.takes.count - 1))
                }
                for variant in set.variants { takes.append(contentsOf: variant.takes) }
                entries.append(Entry(set: set, cassette: number))
            }
        }
        self.cassettes = cassettes.map(\.name)
        self.entries = entries
        self.takes = takes
        self.takeRanges = takeRanges
        self.kinds = takes.map { take in
            var kind: TakeKind = take.isFaultAlone ? .fault : []
            if take.body.coding != nil { kind.insert(.coded) }
            return kind
        }
        self.takesAnyMethod = entries.contains { $0.set.request.method == nil }
        let keys = entries.map { RequestKey(method: $0.set.request.method, url: $0.set.request.url) }
        // The more conditions, the more specific; among equals, file order.
        self.isConditional = entries.map { $0.set.request.body != nil }
        self.hasConditions = self.isConditional.contains(true)
        let conditional = entries.indices.filter { entries[$0].set.request.body != nil }
        let unconditional = entries.indices.filter { entries[$0].set.request.body == nil }
        let index = ExactIndex(keys: keys, preference: conditional + unconditional)
        var bodies = BodyIndex()
        for entry in conditional {
            guard let condition = entries[entry].set.request.body else { continue }
            bodies.insert(condition, entry: entry, chain: index.first(for: keys[entry]))
        }
        var fallbacks: [Int: Int] = [:]
        for entry in unconditional {
            let head = index.first(for: keys[entry])
            if head != entry, fallbacks[head] == nil { fallbacks[head] = entry }
        }
        self.index = index
        self.bodies = bodies
        self.unconditional = fallbacks
    }

    /// The take that an entry's default variant plays at `position`; beyond its last one, the last one.
    func takeNumber(entry: Int, position: Int) -> Int {
        let range = self.takeRanges[entry]
        return min(range.first + position, range.last)
    }

    /// What playing the take of this number depends on.
    package func kind(ofTake number: Int) -> TakeKind {
        self.kinds[number]
    }

    /// Whether a set that may answer has a condition on the body, so that the body must be read first.
    package func needsBody(_ key: RequestKey) -> Bool {
        // Sets with a condition stand at the front of their chain.
        self.hasConditions && self.heads(key) { head in self.isConditional[head] ? true : nil } ?? false
    }

    /// The entry that answers, or `nil`. `body` is needed only where ``needsBody(_:)`` says so.
    package func match(_ key: RequestKey, body: ObservedBody?) -> Int? {
        self.heads(key) { head in
            guard self.isConditional[head] else { return head }
            if let body, let entry = self.bodies.first(matching: body, chain: head) { return entry }
            return self.unconditional[head]
        }
    }

    /// Why nothing here answers `request`. Looks at many sets: not to be called while a lock is held.
    package func explainMiss(_ request: RequestLine, session: String, mode: Mode) -> UnmatchedReport {
        UnmatchedReport(
            request: request,
            session: session,
            mode: mode,
            cassettes: self.cassettes,
            candidates: self.entries.count,
            nearest: NearMisses(tape: self).find(request)
        )
    }

    /// The first result that `body` gives for the head of the chain of the request's own method, then for that of any
    /// method.
    private func heads<Result>(_ key: RequestKey, _ body: (Int) -> Result?) -> Result? {
        let own = self.index.first(for: key)
        if own >= 0, let result = body(own) { return result }
        guard self.takesAnyMethod else { return nil }
        let any = self.index.first(for: key.forAnyMethod)
        return any >= 0 ? body(any) : nil
    }
}
