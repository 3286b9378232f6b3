/// A request that is to be held until somebody lets it go.
package struct Hold: Sendable, Equatable {
    /// What the variant is called that answers a request when it is let go with an answer of its own.
    package static let variant = "held"

    /// The name of the set that holds it.
    package let set: String
    /// By which rule the set matched, such as `exact URL, 0 conditions`.
    package let rule: String

    package init(set: String, rule: String) {
        self.set = set
        self.rule = rule
    }

    /// The answer that somebody gives to the request, to be played as those off a tape are.
    ///
    /// - Parameters:
    ///   - take: the answer.
    ///   - delay: before its first byte; `nil` is none.
    ///   - seed: what a random delay follows from.
    ///   - streams: when the pieces of a body go out that has any; `nil` is at once.
    package func play(
        _ take: Take,
        after delay: Pacing.Delay? = nil,
        seed: UInt64,
        streams: StreamPace? = nil
    ) -> Play {
        let variant = Variant(name: Self.variant, takes: [take])
        let set = ResponseSet(name: self.set, request: RequestMatcher(), variants: [variant])
        var random = SeededRandom(seed: seed)
        let milliseconds = delay?.draw(&random, latency: take.latency) ?? 0
        let factor = take.pieces == nil ? nil : streams?.factor
        return Play(
            tape: Tape([Cassette(name: TapeStack.addedName, responseSets: [set])]),
            entry: 0,
            take: 0,
            variant: Self.variant,
            staging: milliseconds == 0 && factor == nil ? nil : Staging(delay: milliseconds, streams: factor)
        )
    }
}

extension TapeStack {
    /// The same without the sets that hold requests: what would answer a request that is held.
    package var withoutHolds: TapeStack {
        guard let added = self.added else { return self }
        let cassettes = added.cassettes.map { cassette in
            var cassette = cassette
            cassette.responseSets.removeAll(where: \.mayHold)
            return cassette
        }
        let isEmpty = cassettes.allSatisfy(\.responseSets.isEmpty)
        return TapeStack(self.cassettes, added: isEmpty ? nil : Tape(cassettes, order: .asListed))
    }
}
