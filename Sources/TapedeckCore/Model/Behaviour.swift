/// A variant's behaviour. Behaviours are composed of behaviours: a sequence of anything, a delay before anything.
package struct Behaviour: Sendable, Equatable {
    package indirect enum Answer: Sendable, Equatable {
        /// One take per request, in order. Never empty.
        case takes([Take])
        /// One behaviour after the other. Never empty.
        case sequence([Behaviour])
        /// One of several, by their weights and the session's seed. Never empty.
        case random([Weighted])
        /// By the request. Without `otherwise`, a request that does not match is not answered by this set.
        case conditional(when: RequestMatcher, then: Behaviour, otherwise: Behaviour?)
        /// Another variant of the same set.
        case variant(String)
        /// The live server's answer.
        case passthrough
        /// No answer until the request is released with one. Only in sets that are added to a session.
        case hold
    }

    package struct Weighted: Sendable, Equatable {
        /// At least 1.
        package var weight: Int
        package var behaviour: Behaviour

        package init(weight: Int, _ behaviour: Behaviour) {
            self.weight = weight
            self.behaviour = behaviour
        }
    }

    /// The behaviour after all takes, or all parts of a sequence, have been played.
    package enum AfterLast: Sendable, Equatable {
        /// The last one plays again and again.
        case repeatLast
        /// From the first on again.
        case cycle
        /// The set answers no more.
        case unmatched
        /// Another variant of the same set.
        case variant(String)
    }

    package var answer: Answer
    /// For takes and sequences.
    package var after: AfterLast
    /// As a part of a sequence: how many requests it answers; `nil` is one, or for takes and sequences one for each of
    /// their parts.
    package var times: Int?
    package var pacing: Pacing
    /// True if headers and body of the takes are templates.
    package var isTemplate: Bool
    /// Changes to the JSON bodies of the takes, in order.
    package var changes: [BodyChange]
    /// The changes of the session's state after this has answered.
    package var sets: [StateEntry]

    package init(
        _ answer: Answer,
        after: AfterLast = .repeatLast,
        times: Int? = nil,
        pacing: Pacing = Pacing(),
        isTemplate: Bool = false,
        changes: [BodyChange] = [],
        sets: [StateEntry] = []
    ) {
        self.answer = answer
        self.after = after
        self.times = times
        self.pacing = pacing
        self.isTemplate = isTemplate
        self.changes = changes
        self.sets = sets
    }

    /// Every take in it, however deep.
    package var allTakes: [Take] {
        switch self.answer {
        case .takes(let takes): takes
        case .sequence(let parts): parts.flatMap(\.allTakes)
        case .random(let parts): parts.flatMap(\.behaviour.allTakes)
        case .conditional(_, let then, let otherwise): then.allTakes + (otherwise?.allTakes ?? [])
        case .variant, .passthrough, .hold: []
        }
    }

    /// The number of requests that it answers as a part of a sequence.
    package var length: Int {
        if let times = self.times { return times }
        switch self.answer {
        case .takes(let takes): return takes.requestCount
        case .sequence(let parts): return parts.reduce(0) { $0 + $1.length }
        case .random, .conditional, .variant, .passthrough, .hold: return 1
        }
    }
}

/// A change to a JSON body on replay. A body that is not JSON stays unchanged.
package enum BodyChange: Sendable, Equatable {
    /// RFC 7396.
    case merge(JSONValue)
    /// The values at a path, spoilt (``JSONFuzz``).
    case fuzz(JSONFuzz, at: JSONPath)
}
