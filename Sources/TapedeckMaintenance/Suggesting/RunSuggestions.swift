import TapedeckCassettes
package import TapedeckCore

/// The places of a recording that vary, found by playing another recording of the same program against it.
package struct RunSuggestions: Sendable {
    /// A place that varies, and the two values that have shown it.
    package struct Place: Sendable, Equatable {
        package var set: String
        package var example: LearnedPlaces.Example
    }

    package let places: [Place]
    /// The `varies` that the cassette should have, by the names of its sets.
    package let varies: [String: [VaryingPlace]]
    /// The requests of the other recording that the first one does not answer even then.
    package let unmatched: [String]
    /// The number of requests in the other recording, and the numbers of those that the first one answers: unchanged, and
    /// with ``varies``.
    package let requests: Int
    package let answeredBefore: Int
    package let answeredAfter: Int

    /// - Parameters:
    ///   - cassette: the one that the suggestions are for.
    ///   - other: another recording of the same program.
    package init(for cassette: Cassette, from other: Cassette, digest: @escaping Digest) {
        let asks = Self.asks(of: other, digest)
        let start = asks.first?.take.recordedTime
        var comparison = RunComparison(cassette, start: start, surroundings: other.surroundings)
        var (before, after) = (0, 0)
        var unmatched: [String] = []
        for ask in asks {
            switch comparison.ask(ask.request, answeredWith: ask.take) {
            case .answered: (before, after) = (before + 1, after + 1)
            case .learned: after += 1
            case .unmatched: unmatched.append(ask.set.request.line)
            }
        }
        let lessons = comparison.lessons
        self.places = lessons.flatMap { set, learned in
            learned.examples.map { Place(set: set.name, example: $0) }
        }
        self.varies = Dictionary(lessons.map { ($0.set.name, $0.learned.places) }) { first, _ in first }
        self.unmatched = unmatched
        (self.requests, self.answeredBefore, self.answeredAfter) = (asks.count, before, after)
    }

    private struct Ask {
        var request: MatchRequest
        var take: Take
        var set: ResponseSet
    }

    /// The requests of a recording, in their order.
    private static func asks(of cassette: Cassette, _ digest: Digest) -> [Ask] {
        let asks = cassette.responseSets.flatMap { set -> [Ask] in
            guard let ask = RecordedAsk(set, digest: digest) else { return [] }
            return set.variants.flatMap(\.behaviour.allTakes).filter { $0.recorded != nil }.map {
                Ask(request: ask.request, take: $0, set: set)
            }
        }
        return asks.enumerated()
            .sorted { left, right in
                let (one, other) = (left.element.take.recordedOrder, right.element.take.recordedOrder)
                return one == other ? left.offset < right.offset : one < other
            }
            .map(\.element)
    }
}
