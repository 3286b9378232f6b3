/// The tapes of a session: the shared tape of its cassettes, and over it its own tape of added response sets.
package struct TapeStack: Sendable {
    /// The tape that a set is on.
    package enum Layer: Sendable, Hashable {
        case added
        case cassettes
    }

    /// The name of the tape of added sets in reports.
    package static let addedName = "added"

    package internal(set) var cassettes: Tape {
        didSet { self.secretNames = Self.secretNames(self.cassettes, self.added) }
    }
    /// `nil` where nothing was added.
    package internal(set) var added: Tape? {
        didSet { self.secretNames = Self.secretNames(self.cassettes, self.added) }
    }
    /// The names of all secrets.
    private(set) var secretNames: TapeSecretNames

    package init(_ cassettes: Tape, added: Tape? = nil) {
        self.cassettes = cassettes
        self.added = added
        self.secretNames = Self.secretNames(cassettes, added)
    }

    private static func secretNames(_ cassettes: Tape, _ added: Tape?) -> TapeSecretNames {
        guard let added, !added.secretNames.isEmpty else { return cassettes.secretNames }
        return TapeSecretNames(
            Set(cassettes.secretNames.all + added.secretNames.all),
            firstUses: cassettes.secretNames.firstUses,
            secrets: cassettes.secretNames.secrets + added.secretNames.secrets,
            credentials: cassettes.secretNames.credentials.union(added.secretNames.credentials),
            codes: cassettes.secretNames.codes.union(added.secretNames.codes)
        )
    }

    /// The tapes, that of the added sets first.
    package var layers: [(layer: Layer, tape: Tape)] {
        (self.added.map { [(.added, $0)] } ?? []) + [(.cassettes, self.cassettes)]
    }

    private var tapes: [Tape] { self.layers.map(\.tape) }

    /// True if any set uses header fields.
    package var asksForFields: Bool { self.cassettes.asksForFields || self.added?.asksForFields ?? false }

    /// True if any set has placeholders of secrets as conditions.
    package var asksForSecrets: Bool { self.cassettes.asksForSecrets || self.added?.asksForSecrets ?? false }

    /// True if any set requires a digest of the body.
    package var asksForDigest: Bool { self.cassettes.asksForDigest || self.added?.asksForDigest ?? false }

    /// True if a part of any answer comes before the whole request.
    var answersEarly: Bool { self.cassettes.answersEarly || self.added?.answersEarly ?? false }

    /// True if any set depends on a body.
    package var mayNeedBody: Bool { self.cassettes.mayNeedBody || self.added?.mayNeedBody ?? false }

    /// True if any answer depends on the seed.
    package var usesRandom: Bool { self.cassettes.usesRandom || self.added?.usesRandom ?? false }

    func needsBody(
        _ matchRequest: MatchRequest,
        secrets: SecretBindings.Attempt?,
        state: [String: String],
        scratch: PatternScratch
    ) -> Bool {
        self.tapes.contains {
            $0.needsBody(RequestFacts(matchRequest, secrets: secrets, state: state, scratch: scratch))
        }
    }

    // MARK: Matching

    /// A set that matches a request.
    package struct Candidate {
        package let layer: Layer
        package let tape: Tape
        package let entry: Int
        /// The request, as far as this tape asks about it.
        let request: RequestFacts
        /// The places of the request whose values differ from the recorded ones.
        var variedPlaces: [String] = []
    }

    /// The sets that match a request, in the order in which they are tried. Each is looked up on demand, because mostly
    /// the first one answers.
    package struct Candidates: IteratorProtocol {
        private struct Walk {
            let layer: Layer
            let tape: Tape
            let request: RequestFacts
            /// The next set of this tape.
            var next: Int?
            /// True once ``next`` has been returned.
            var isSpent = false

            mutating func peek() -> Int? {
                if self.isSpent, let last = self.next {
                    self.next = self.tape.match(self.request, after: last)
                    self.isSpent = false
                }
                return self.next
            }

            mutating func take() -> Candidate? {
                guard let entry = self.peek() else { return nil }
                self.isSpent = true
                return Candidate(layer: self.layer, tape: self.tape, entry: entry, request: self.request)
            }

            var priority: Int { self.next.map { self.tape.entries[$0].set.priority } ?? .min }
        }

        private var added: Walk?
        private var cassettes: Walk

        fileprivate init(
            _ tapes: TapeStack,
            _ matchRequest: MatchRequest,
            _ secrets: SecretBindings.Attempt?,
            _ state: [String: String],
            _ scratch: PatternScratch
        ) {
            func walk(_ layer: Layer, _ tape: Tape) -> Walk {
                let request = RequestFacts(matchRequest, secrets: secrets, state: state, scratch: scratch)
                return Walk(layer: layer, tape: tape, request: request, next: tape.match(request))
            }
            self.added = tapes.added.map { walk(.added, $0) }
            self.cassettes = walk(.cassettes, tapes.cassettes)
        }

        /// The sets that were added come first, but for those with a negative priority, which come after the cassettes.
        package mutating func next() -> Candidate? {
            guard self.added?.peek() != nil else { return self.cassettes.take() }
            let isFallback = (self.added?.priority ?? 0) < 0
            return isFallback ? self.cassettes.take() ?? self.added?.take() : self.added?.take()
        }

        /// The set that comes first, before any has been given out.
        var first: Candidate? {
            var copy = self
            return copy.next()
        }

        /// True if a set could not be judged so far.
        var hasDoubts: Bool {
            [self.added, self.cassettes].compactMap { $0 }.contains { $0.request.doubts > 0 }
        }

        /// The names of the sets whose pattern was cut off so far.
        package var cutOff: [String] {
            [self.added, self.cassettes].compactMap { $0 }.flatMap { walk in
                walk.request.cutOff.map { walk.tape.entries[$0].set.name }
            }
        }
    }

    /// Returns the sets that match a request as received, with any values for secrets.
    package func candidates(
        _ matchRequest: MatchRequest,
        state: [String: String],
        scratch: PatternScratch
    ) -> Candidates {
        self.candidates(matchRequest, secrets: nil, state: state, scratch: scratch)
    }

    /// The sets that match.
    ///
    /// - Parameter secrets: what the secrets of the request are called.
    func candidates(
        _ matchRequest: MatchRequest,
        secrets: SecretBindings.Attempt?,
        state: [String: String],
        scratch: PatternScratch
    ) -> Candidates {
        Candidates(self, matchRequest, secrets, state, scratch)
    }

    // MARK: Names

    /// The names of every set, each once.
    package var setNames: [String] {
        var seen: Set<String> = []
        return self.tapes.flatMap(\.setNames).filter { seen.insert($0).inserted }
    }

    /// The names of all profiles: those of the cassettes, then the built-in ones that they do not replace.
    package var profileNames: [String] {
        var seen: Set<String> = []
        let written = self.cassettes.cassettes.flatMap(\.profiles).map(\.name)
        return (written + BuiltInVariant.allCases.map(\.rawValue)).filter { seen.insert($0).inserted }
    }
}

/// A value for each tape of a stack.
struct PerTape<Value: Sendable>: Sendable {
    var added: Value
    var cassettes: Value

    init(_ value: Value) {
        self.added = value
        self.cassettes = value
    }

    subscript(_ layer: TapeStack.Layer) -> Value {
        get { layer == .added ? self.added : self.cassettes }
        _modify {
            if layer == .added { yield &self.added } else { yield &self.cassettes }
        }
    }
}
