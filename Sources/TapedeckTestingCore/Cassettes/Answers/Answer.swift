extension Tapedeck {
    /// An answer of a variant or a stub.
    ///
    /// ```swift
    /// .json(["id": 7, "name": "Ada"], status: 201).header("location", "/users/7")
    /// .fault(.connectionReset)
    /// .sequence([.status(202), .status(202), .json(["state": "done"])])
    /// .random([(9, .variant("found")), (1, .status(503))]).delayed(.milliseconds(200))
    /// ```
    ///
    /// It can be part of a cassette and be printed: see ``Cassette/yaml``.
    public struct Answer: Sendable, Equatable {
        /// The behaviour after the last part of a sequence.
        public struct After: Sendable, Equatable {
            let shape: Tapedeck.JSON

            /// The last part, again and again.
            public static let `repeat` = After(shape: "repeat")
            /// The first part, and so on from there.
            public static let cycle = After(shape: "cycle")
            /// No answer: the next matching response set is tried.
            public static let unmatched = After(shape: "unmatched")

            /// Another variant of the response set, or a built-in one such as `offline`.
            public static func variant(_ name: String) -> After {
                After(shape: ["variant": Tapedeck.JSON(name)])
            }
        }

        /// In what way JSON is spoilt.
        public enum Fuzz: String, Sendable, CaseIterable {
            case longStrings
            case emoji
            case emptyStrings
            case nulls
            case dropKeys
            case wrongTypes
            case hugeNumbers
            case negativeNumbers
        }

        /// The kind of answer, without its modifiers.
        indirect enum Action: Sendable, Equatable {
            case take(StaticTake)
            case sequence([Tapedeck.Answer], after: After)
            case random([Choice])
            case conditional(RequestMatcher, then: Tapedeck.Answer, otherwise: Tapedeck.Answer?)
            case variant(String)
            case passthrough
        }

        struct Choice: Sendable, Equatable {
            var weight: Int
            var answer: Tapedeck.Answer
        }

        var action: Action
        var isTemplate = false
        var delay: Delay?
        var bytesPerSecond: Int?
        var dribble: Tapedeck.JSON?
        var merge: Tapedeck.JSON?
        var fuzz: [Tapedeck.JSON.Member] = []
        var sets: [Tapedeck.JSON.Member] = []
        /// The number of requests that it answers as a part of a sequence.
        var times: Int?

        init(_ action: Action) {
            self.action = action
        }

        init(_ take: StaticTake) {
            self.init(.take(take))
        }
    }
}

// MARK: Several, conditions, others

extension Tapedeck.Answer {
    /// Answers one after the other, each for one request.
    ///
    /// - Parameters:
    ///   - answers: in their order.
    ///   - after: what follows the last answer; by default the last one repeats.
    public static func sequence(_ answers: [Tapedeck.Answer], after: After = .repeat) -> Self {
        Self(.sequence(answers, after: after))
    }

    /// One of several answers, chosen by their weights and the session's seed.
    ///
    /// ```swift
    /// .random([(9, .status(200)), (1, .fault(.timeout))])
    /// ```
    public static func random(_ choices: [(weight: Int, answer: Tapedeck.Answer)]) -> Self {
        Self(.random(choices.map { Choice(weight: $0.weight, answer: $0.answer) }))
    }

    /// One answer if a request matches, and another if it does not; without that the next matching response set is
    /// tried.
    ///
    /// ```swift
    /// .when(.any.header("authorization", .present), then: .variant("found"), otherwise: .status(401))
    /// ```
    public static func when(_ request: RequestMatcher, then: Tapedeck.Answer, otherwise: Tapedeck.Answer? = nil) -> Self
    {
        Self(.conditional(request, then: then, otherwise: otherwise))
    }

    /// The answer of another variant of the response set, or of a built-in one: `offline`, `slow`, `flaky`,
    /// `server-error`, `rate-limited`, `unauthorized`.
    public static func variant(_ name: String) -> Self {
        Self(.variant(name))
    }

    /// The live server's answer, which is not recorded: in modes that may ask it.
    public static let passthrough = Tapedeck.Answer(.passthrough)
}

// MARK: Around it

extension Tapedeck.Answer {
    /// Delays the answer by a fixed time.
    public func delayed(_ duration: Duration) -> Self {
        self.delayed(.fixed(duration))
    }

    /// Delays the answer.
    ///
    /// ```swift
    /// .status(200).delayed(.uniform(.milliseconds(100) ... .seconds(2)))
    /// ```
    public func delayed(_ delay: Delay) -> Self {
        self.with { $0.delay = delay }
    }

    /// Limits the bytes of the body per second.
    public func bandwidth(bytesPerSecond: Int) -> Self {
        self.with { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Sends the body in this many pieces, spread evenly over a time.
    public func dribbled(pieces: Int, over duration: Duration) -> Self {
        self.with { $0.dribble = ["pieces": Tapedeck.JSON(pieces), "over": .time(duration)] }
    }

    /// Makes headers and bodies Mustache templates with values of the request: `{{url.id}}`, `{{json.user.name}}`.
    public func template() -> Self {
        self.with { $0.isTemplate = true }
    }

    /// Applies a merge patch (RFC 7396) to JSON bodies: members are replaced, null removes them. It replaces an earlier
    /// one.
    public func merging(_ patch: Tapedeck.JSON) -> Self {
        self.with { $0.merge = patch }
    }

    /// Damages the values that a JSONPath selects from JSON bodies, and everything in them.
    public func fuzzing(_ path: String, _ fuzz: Fuzz) -> Self {
        self.with { $0.fuzz = $0.fuzz.setting(path, Tapedeck.JSON(fuzz.rawValue)) }
    }

    /// Sets a key of the session's state after the answer; `nil` removes it.
    public func settingState(_ key: String, to value: String?) -> Self {
        self.with { $0.sets = $0.sets.setting(key, Tapedeck.JSON(text: value)) }
    }

    /// Repeats the answer, as a part of a sequence. Anywhere else the deck refuses it.
    ///
    /// ```swift
    /// .sequence([.status(503).times(2), .status(200)])
    /// ```
    public func times(_ count: Int) -> Self {
        self.with { $0.times = count }
    }

    func with(_ change: (inout Tapedeck.Answer) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension [Tapedeck.JSON.Member] {
    /// Returns a copy with another value for a name, which keeps its place.
    func setting(_ name: String, _ value: Tapedeck.JSON) -> Self {
        var copy = self
        if let place = self.firstIndex(where: { $0.name == name }) {
            copy[place].value = value
        } else {
            copy.append(Tapedeck.JSON.Member(name, value))
        }
        return copy
    }
}
