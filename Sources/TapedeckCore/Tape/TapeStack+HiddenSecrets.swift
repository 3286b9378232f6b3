/// A request in which secrets were found that no rule finds: by what a response set has at those places.
package struct HiddenSecrets: Sendable {
    package struct Secret: Sendable, Equatable {
        /// On tape.
        package var name: String
        package var value: [UInt8]
    }

    /// What is known of values, to whoever keeps them.
    package struct Knowledge {
        /// A value out of the form that a placeholder names (`base64`); `nil` where it is none of that form.
        var decode: (_ value: [UInt8], _ form: SecretPlaceholder.Form) -> [UInt8]?
        /// What a value goes by: by a number, or by the name alone where that was played for it.
        var known: (_ value: [UInt8]) -> (name: String, number: Int?)?
        /// Whether a name is that of one certain value.
        var isFixed: (_ name: String) -> Bool

        package init(
            decode: @escaping (_ value: [UInt8], _ form: SecretPlaceholder.Form) -> [UInt8]?,
            known: @escaping (_ value: [UInt8]) -> (name: String, number: Int?)?,
            isFixed: @escaping (_ name: String) -> Bool
        ) {
            self.decode = decode
            self.known = known
            self.isFixed = isFixed
        }
    }

    /// The request with placeholders at those places.
    package var matchRequest: MatchRequest
    package var secrets: [Secret]
}

extension TapeStack {
    /// How many sets are held against one request. 1,000.
    private static let limit = 1000

    /// The secrets of a request that nothing matches, if a set would match it with any values in the place of its
    /// placeholders. A set whose secrets stand for nothing yet comes before one whose secrets do. A value that stands for
    /// another secret does not match; one that comes twice must be the same.
    ///
    /// Made for misses: looks at each set of the same method and path, and holds at most 1,000 of them against it in full.
    package func hiddenSecrets(
        _ matchRequest: MatchRequest,
        _ bindings: SecretBindings,
        state: [String: String],
        _ knowledge: HiddenSecrets.Knowledge
    ) -> HiddenSecrets? {
        var raw = matchRequest
        raw.redacted = nil
        let scratch = PatternScratch()
        let request = RequestFacts(raw, state: state, scratch: scratch)
        var budget = Self.limit
        for wantsFree in [true, false] {
            for (_, tape) in self.layers {
                for number in tape.mayHideSecrets(request) {
                    let entry = tape.entries[Int(number)]
                    guard entry.secrets.isDisjoint(with: bindings.taken) == wantsFree else { continue }
                    guard budget > 0 else { return nil }
                    if let found = Self.hidden(entry, request, bindings, knowledge, &budget) { return found }
                }
            }
        }
        return nil
    }

    private static func hidden(
        _ entry: Tape.Entry,
        _ request: RequestFacts,
        _ bindings: SecretBindings,
        _ knowledge: HiddenSecrets.Knowledge,
        _ budget: inout Int
    ) -> HiddenSecrets? {
        var aligner = SecretAligner(request)
        guard entry.matcher.urlAsksForSecrets || entry.matcher.takesURL(request),
            aligner.align(entry.matcher), !aligner.values.isEmpty
        else { return nil }
        var values: [String: [UInt8]] = [:]
        for value in aligner.values {
            let name = value.placeholder.name
            guard let bytes = knowledge.decode(value.bytes, value.placeholder.form),
                values[name, default: bytes] == bytes,
                Self.mayBe(bytes, name, bindings, knowledge)
            else { return nil }
            values[name] = bytes
        }
        // What cannot be meant by its values is told apart cheaply, and does not count.
        budget -= 1
        let aligned = aligner.matchRequest
        var both = request.matchRequest
        both.redacted = RedactedRequest(vault: 0, unknown: [], hasForms: false) { _, _ in aligned }
        let facts = RequestFacts(both, secrets: .init(), state: request.state, scratch: request.scratch)
        guard entry.matcher.matches(facts), entry.stateHolds(facts) else { return nil }
        let secrets = values.sorted { $0.key < $1.key }.map { HiddenSecrets.Secret(name: $0.key, value: $0.value) }
        return HiddenSecrets(matchRequest: aligned, secrets: secrets)
    }

    private static func mayBe(
        _ value: [UInt8],
        _ name: String,
        _ bindings: SecretBindings,
        _ knowledge: HiddenSecrets.Knowledge
    ) -> Bool {
        guard let known = knowledge.known(value) else { return !knowledge.isFixed(name) }
        guard let number = known.number else { return known.name == name }
        return bindings.name(of: number).map { $0 == name } ?? !knowledge.isFixed(name)
    }

    /// Whether the body must be known to tell what secrets a request hides.
    package func hiddenSecretsNeedBody(_ matchRequest: MatchRequest) -> Bool {
        let request = RequestFacts(matchRequest, scratch: PatternScratch())
        return self.layers.contains { _, tape in
            tape.mayHideSecrets(request).contains { tape.entries[Int($0)].matcher.needsBody }
        }
    }

    /// Whether a set matches a request, whose secrets go by their placeholders or by any name.
    package func matches(_ matchRequest: MatchRequest, state: [String: String]) -> Bool {
        var candidates = self.facts(matchRequest, state: state, scratch: PatternScratch()).candidates
        return candidates.next() != nil
    }
}
