import TapedeckCassettes
package import TapedeckCore

/// What of requests is another in each run, as two recordings of the same scenario show it.
package struct IgnoreSuggestions: Sendable {
    /// A field in which requests differ that are the same otherwise.
    package struct Field: Sendable, Equatable {
        package var kind: FieldVariation.Kind
        package var name: String
        /// What its values look like; `nil` where they look as if somebody chose them.
        package var look: VariationLook?
        /// In how many pairs of requests it differs.
        package var count: Int
        /// Two of its values.
        package var examples: [String]
    }

    /// The fields that `ignore` should have: all their values look like what is another each time.
    package let proposed: [Field]
    /// The other fields that differ; what they mean is for a person to say.
    package let others: [Field]
    /// What to add to the cassette's `ignore`.
    package let rules: MatchingRules
    /// How many requests the second recording made, and how many of them the first one answers: as it is, and with
    /// ``rules``.
    package let requests: Int
    package let answeredBefore: Int
    package let answeredAfter: Int
    /// How many pairs of requests were compared that differ in something.
    package let pairs: Int
    /// With ``rules``, so many sets of the first recording are for what an earlier one answers already.
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
                // One value that somebody chose is enough: without it, requests would be taken for one another.
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

    /// What all of them look like; `nil` where one of them looks as if somebody chose it.
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
        rules.ignoredQuery += added.ignoredQuery
        rules.ignoredHeaders += added.ignoredHeaders
        rules.ignoredJSON += added.ignoredJSON
        return rules
    }

    /// How many sets ask for what an earlier one asks for.
    private static func repeated(_ cassette: Cassette) -> Int {
        let shapes = cassette.responseSets.compactMap { RecordedShape($0, rules: cassette.matching) }
        return shapes.count - Set(shapes).count
    }
}
