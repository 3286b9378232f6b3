import TapedeckCassettes
package import TapedeckCore

/// The parts of requests that change with each run, found by comparing two recordings of the same scenario.
package struct IgnoreSuggestions: Sendable {
    /// A field in which requests differ that are the same otherwise.
    package struct Field: Sendable, Equatable {
        package var kind: FieldVariation.Kind
        package var name: String
        /// The kind of its values; `nil` if they look chosen.
        package var look: VariationLook?
        /// In how many pairs of requests it differs.
        package var count: Int
        /// Two of its values.
        package var examples: [String]
    }

    /// The fields that `ignore` should have: all their values look as if they change each time.
    package let proposed: [Field]
    /// The other fields that differ, for a person to judge.
    package let others: [Field]
    /// The rules to add to the cassette's `ignore`.
    package let rules: MatchingRules
    /// The number of requests in the second recording, and the numbers of those that the first one answers: unchanged,
    /// and with ``rules``.
    package let requests: Int
    package let answeredBefore: Int
    package let answeredAfter: Int
    /// The number of compared pairs of requests that differ.
    package let pairs: Int
    /// The number of sets of the first recording that an earlier one hides with ``rules``.
    package let hidden: Int

    /// - Parameters:
    ///   - cassette: the one that the rules are for.
    ///   - other: another recording of the same scenario.
    package init(for cassette: Cassette, from other: Cassette, digest: @escaping Digest) {
        let tape = Tape([cassette])
        let asks = other.responseSets.compactMap { RecordedAsk($0, digest: digest) }
        let missed = asks.filter { !$0.isAnswered(by: tape) }
        // Those that the other recording has as well need no pair.
        let otherTape = Tape([Self.under(cassette.matching, other)])
        let own = cassette.responseSets.compactMap { RecordedAsk($0, digest: digest) }
            .filter { !$0.isAnswered(by: otherTape) }
        let variations = RequestPairing.variations(own.map(\.comparable), missed.map(\.comparable))
        let fields = Self.fields(variations)
        self.pairs = variations.count
        self.proposed = fields.filter { $0.look != nil }
        self.others = fields.filter { $0.look == nil }
        self.rules = Self.rules(self.proposed)
        var changed = cassette
        changed.matching = Self.union(cassette.matching, self.rules)
        let changedTape = Tape([changed])
        self.requests = asks.count
        self.answeredBefore = asks.count - missed.count
        self.answeredAfter = asks.count { $0.isAnswered(by: changedTape) }
        self.hidden = Self.repeated(changed) - Self.repeated(cassette)
    }

    private static func under(_ rules: MatchingRules, _ cassette: Cassette) -> Cassette {
        var cassette = cassette
        cassette.matching = rules
        return cassette
    }

    private static func fields(_ variations: [[FieldVariation]]) -> [Field] {
        var fields: [Field] = []
        for variation in variations.joined() {
            let look = Self.look(of: variation.values)
            if let known = fields.firstIndex(where: { $0.kind == variation.kind && $0.name == variation.name }) {
                fields[known].count += 1
                // One chosen value is enough to keep the field: without it, different requests would be confused.
                if look == nil { fields[known].look = nil }
            } else {
                fields.append(
                    Field(
                        kind: variation.kind,
                        name: variation.name,
                        look: look,
                        count: 1,
                        examples: Array(variation.values.prefix(2))
                    )
                )
            }
        }
        return fields
    }

    /// The common kind of all values; `nil` if one of them looks chosen.
    private static func look(of values: [String]) -> VariationLook? {
        let looks = values.compactMap { VariationLook($0) }
        guard let first = looks.first, looks.count == values.count else { return nil }
        return looks.allSatisfy { $0 == first } ? first : .random
    }

    private static func rules(_ fields: [Field]) -> MatchingRules {
        func names(_ kind: FieldVariation.Kind) -> [String] { fields.filter { $0.kind == kind }.map(\.name) }
        return MatchingRules(
            ignoredQuery: names(.query),
            ignoredHeaders: names(.header),
            ignoredJSON: names(.json).compactMap { try? JSONPath($0) }
        )
    }

    private static func union(_ rules: MatchingRules, _ added: MatchingRules) -> MatchingRules {
        var rules = rules
        rules.ignore(added)
        return rules
    }

    /// The number of sets with the same request as an earlier one.
    private static func repeated(_ cassette: Cassette) -> Int {
        let shapes = cassette.responseSets.compactMap { RecordedShape($0, rules: cassette.matching) }
        return shapes.count - Set(shapes).count
    }
}
