/// What a session plays: the tape of its cassettes, which it shares with others, and over that its own of the response
/// sets that were added to it.
package struct TapeStack: Sendable {
    /// Which of the tapes a set is on.
    package enum Layer: Sendable, Hashable {
        case added
        case cassettes
    }

    /// What the reports call the tape of added sets.
    package static let addedName = "added"

    package internal(set) var cassettes: Tape
    /// `nil` where nothing was added.
    package internal(set) var added: Tape?

    package init(_ cassettes: Tape, added: Tape? = nil) {
        self.cassettes = cassettes
        self.added = added
    }

    /// The tapes, that of the added sets first.
    package var layers: [(layer: Layer, tape: Tape)] {
        (self.added.map { [(.added, $0)] } ?? []) + [(.cassettes, self.cassettes)]
    }

    private var tapes: [Tape] { self.layers.map(\.tape) }

    /// Whether any set asks for header fields.
    package var asksForFields: Bool { self.cassettes.asksForFields || self.added?.asksForFields ?? false }

    /// Whether any set asks for secrets by their placeholders.
    package var asksForSecrets: Bool { self.cassettes.asksForSecrets || self.added?.asksForSecrets ?? false }

    /// Whether any set asks for a digest of the body.
    package var asksForDigest: Bool { self.cassettes.asksForDigest || self.added?.asksForDigest ?? false }

    /// The names of all secrets, in their order.
    var secretNames: [String] {
        guard let added = self.added, !added.secretNames.isEmpty else { return self.cassettes.secretNames }
        return Set(self.cassettes.secretNames + added.secretNames).sorted(by: SecretMention.precedes)
    }

    /// Whether any set depends on a body at all.
    package var mayNeedBody: Bool { self.cassettes.mayNeedBody || self.added?.mayNeedBody ?? false }

    /// Whether any answer depends on the seed.
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
    }

    /// The sets that match a request, in the order in which they are asked. Each is looked for when it is asked for, as
    /// mostly the first one answers.
    package struct Candidates: IteratorProtocol {
        private struct Walk {
            let layer: Layer
            let tape: Tape
            let request: RequestFacts
            /// The set of this tape whose turn is next.
            var next: Int?
            /// Whether ``next`` has been given out.
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

        /// The names of the sets whose pattern was cut off so far.
        package var cutOff: [String] {
            [self.added, self.cassettes].compactMap { $0 }.flatMap { walk in
                walk.request.cutOff.map { walk.tape.entries[$0].set.name }
            }
        }
    }

    /// The sets that match a request as it came, whatever stands for a secret.
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

    /// The names of all profiles: those of the cassettes, then the built-in ones that none of them takes the place of.
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
