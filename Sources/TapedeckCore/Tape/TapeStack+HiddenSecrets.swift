/// A request with secrets that no rule finds, found by their places in a response set.
package struct HiddenSecrets: Sendable {
    package struct Secret: Sendable, Equatable {
        /// On tape.
        package var name: String
        package var value: [UInt8]
    }

    /// The caller's knowledge of values.
    package struct Knowledge {
        /// Decodes a value from the form that a placeholder names (`base64`); returns `nil` if it does not have that
        /// form.
        var decode: (_ value: [UInt8], _ form: SecretPlaceholder.Form) -> [UInt8]?
        /// Returns the name of a known value, and its number, or only the name if that was played for it.
        var known: (_ value: [UInt8]) -> (name: String, number: Int?)?
        /// Returns true if a name belongs to one fixed value.
        var isFixed: (_ name: String) -> Bool
        /// Returns the SHA-256 digest of a value, or of the value with small ASCII letters.
        var digest: (_ value: [UInt8], _ inLowerCase: Bool) -> String

        package init(
            decode: @escaping (_ value: [UInt8], _ form: SecretPlaceholder.Form) -> [UInt8]?,
            known: @escaping (_ value: [UInt8]) -> (name: String, number: Int?)?,
            isFixed: @escaping (_ name: String) -> Bool,
            digest: @escaping (_ value: [UInt8], _ inLowerCase: Bool) -> String
        ) {
            self.decode = decode
            self.known = known
            self.isFixed = isFixed
            self.digest = digest
        }
    }

    /// The request with placeholders at those places.
    package var matchRequest: MatchRequest
    package var secrets: [Secret]
}

extension TapeStack {
    /// The maximum number of sets that are compared with one request: 1,000.
    private static let limit = 1000

    /// Returns the secrets of an unmatched request, if a set would match it with any values in place of its
    /// placeholders. A set whose secrets have no values yet comes before one whose secrets do. A value that has another
    /// name does not match; one that occurs twice must be the same.
    ///
    /// For misses only: checks each set of the same method and path, and compares at most 1,000 of them in full.
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
                    if let found = self.hidden(entry, request, bindings, knowledge, &budget) { return found }
                }
            }
        }
        return nil
    }

    private func hidden(
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
                self.mayBe(bytes, name, bindings, knowledge)
            else { return nil }
            values[name] = bytes
        }
        // Sets that cannot match by their values are rejected cheaply, and do not count.
        budget -= 1
        let aligned = aligner.matchRequest
        var both = request.matchRequest
        both.redacted = RedactedRequest(vault: 0, unknown: [], hasForms: false) { _, _ in aligned }
        let facts = RequestFacts(both, secrets: .init(), state: request.state, scratch: request.scratch)
        guard entry.matcher.matches(facts), entry.stateHolds(facts) else { return nil }
        let secrets = values.sorted { $0.key < $1.key }.map { HiddenSecrets.Secret(name: $0.key, value: $0.value) }
        return HiddenSecrets(matchRequest: aligned, secrets: secrets)
    }

    private func mayBe(
        _ value: [UInt8],
        _ name: String,
        _ bindings: SecretBindings,
        _ knowledge: HiddenSecrets.Knowledge
    ) -> Bool {
        let isAnothers = self.secretNames.isOwn(name) && bindings.isTaken(name)
        let isFree = !isAnothers && !knowledge.isFixed(name)
        guard let known = knowledge.known(value) else {
            return isFree && self.secretNames.mayBeValue(of: name) { knowledge.digest(value, $0) }
        }
        guard let number = known.number else { return known.name == name }
        let isExactly = { self.secretNames.exactNames { knowledge.digest(value, $0) }.contains(name) }
        return bindings.name(of: number).map { $0 == name || isExactly() }
            ?? (isFree && self.secretNames.mayBeValue(of: name) { knowledge.digest(value, $0) })
    }

    /// True if the body is needed to find the secrets that a request hides.
    package func hiddenSecretsNeedBody(_ matchRequest: MatchRequest) -> Bool {
        let request = RequestFacts(matchRequest, scratch: PatternScratch())
        return self.layers.contains { _, tape in
            tape.mayHideSecrets(request).contains { tape.entries[Int($0)].matcher.needsBody }
        }
    }

    /// Returns true if a set matches a request, with placeholders or any names for its secrets.
    package func matches(_ matchRequest: MatchRequest, _ bindings: SecretBindings, state: [String: String]) -> Bool {
        var candidates = self.facts(matchRequest, bindings, state: state, scratch: PatternScratch()).candidates
        return candidates.next() != nil
    }
}
