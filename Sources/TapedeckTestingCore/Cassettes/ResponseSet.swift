/// One named answer of a response set.
///
/// ```swift
/// Variant("rate limited", .status(429, headers: ["retry-after": "1"]))
/// ```
public struct Variant: Sendable, Equatable {
    /// Unique in its response set.
    public var name: String
    /// The variant's answer.
    public var answer: Tapedeck.Answer

    public init(_ name: String, _ answer: Tapedeck.Answer) {
        self.name = name
        self.answer = answer
    }

    /// As an item of `variants`.
    var shape: Tapedeck.JSON {
        Tapedeck.JSON([Tapedeck.JSON.Member("name", Tapedeck.JSON(self.name))] + self.answer.shape)
    }
}

/// All the answers to one kind of request.
///
/// ```swift
/// ResponseSet("login", .post("/login")) {
///     Variant("welcome", .json(["token": "t"]))
///     Variant("wrong password", .status(401))
/// }
/// ```
public struct ResponseSet: Sendable, Equatable {
    /// Unique in its cassette.
    public var name: String
    /// The requests that it answers.
    public var request: RequestMatcher
    /// Its answers. The first one plays unless another is selected.
    public var variants: [Variant]
    /// The variant that plays unless a test selects another; the first if it is `nil`.
    public var selected: String?
    /// Sets with a higher one are tried first.
    public var priority: Int
    /// The required state of the session: the value of a key, `nil` for none.
    private var requires: [Tapedeck.JSON.Member]
    /// The changes of the session's state once the set has answered.
    private var sets: [Tapedeck.JSON.Member]

    /// - Parameters:
    ///   - name: unique in the cassette.
    ///   - request: the requests that it answers.
    ///   - selected: the variant that plays unless a test selects another; by default the first.
    ///   - priority: sets with a higher one are tried first.
    ///   - requires: the required state of the session: the value of a key, `nil` for none.
    ///   - sets: the changes to the session's state after the set has answered; `nil` removes a key.
    ///   - variants: its answers, at least one.
    public init(
        _ name: String,
        _ request: RequestMatcher,
        selected: String? = nil,
        priority: Int = 0,
        requires: KeyValuePairs<String, String?> = [:],
        sets: KeyValuePairs<String, String?> = [:],
        @CassetteBuilder<Variant> variants: () throws -> [Variant]
    ) rethrows {
        self.init(
            name,
            request,
            selected: selected,
            priority: priority,
            requires: requires,
            sets: sets,
            variants: try variants()
        )
    }

    /// Creates a response set with the variants of an array.
    public init(
        _ name: String,
        _ request: RequestMatcher,
        selected: String? = nil,
        priority: Int = 0,
        requires: KeyValuePairs<String, String?> = [:],
        sets: KeyValuePairs<String, String?> = [:],
        variants: [Variant]
    ) {
        self.name = name
        self.request = request
        self.variants = variants
        self.selected = selected
        self.priority = priority
        self.requires = requires.map { Tapedeck.JSON.Member($0.key, Tapedeck.JSON(text: $0.value)) }
        self.sets = sets.map { Tapedeck.JSON.Member($0.key, Tapedeck.JSON(text: $0.value)) }
    }

    /// As JSON text, in the shape that a session is given response sets in.
    package var json: String { self.shape.text }

    /// As an item of `responseSets`, with its keys in the order that the deck writes them.
    var shape: Tapedeck.JSON {
        var priority: Tapedeck.JSON?
        if self.priority != 0 { priority = Tapedeck.JSON(self.priority) }
        return Tapedeck.JSON(shape: [
            ("name", Tapedeck.JSON(self.name)), ("priority", priority), ("request", self.request.setShape),
            ("requires", Tapedeck.JSON(unlessEmpty: self.requires)), ("sets", Tapedeck.JSON(unlessEmpty: self.sets)),
            ("selected", self.selected.map { Tapedeck.JSON($0) }),
            ("variants", Tapedeck.JSON(self.variants.map(\.shape))),
        ])
    }
}
