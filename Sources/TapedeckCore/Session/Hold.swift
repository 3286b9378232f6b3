/// A request that waits until it is released.
package struct Hold: Sendable, Equatable {
    /// The name of the variant for a held request that is released with its own answer.
    package static let variant = "held"

    /// The name of the set that holds it.
    package let set: String
    /// By which rule the set matched, such as `exact URL, 0 conditions`.
    package let rule: String

    package init(set: String, rule: String) {
        self.set = set
        self.rule = rule
    }

    /// Returns the answer given to the request, in the form in which answers from tape are played.
    ///
    /// - Parameters:
    ///   - take: the answer.
    ///   - delay: before its first byte; `nil` means none.
    ///   - seed: the seed of a random delay.
    ///   - streams: the pace of a body with pieces; `nil` means at once.
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
    /// A copy without the sets that hold requests: it answers a request that is held.
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
