/// All the answers to one kind of request.
package struct ResponseSet: Sendable, Equatable {
    /// Unique within its cassette.
    package var name: String
    package var request: RequestMatcher
    /// The places of the recorded request that differ from run to run, beside those that show it by their form.
    package var varies: [VaryingPlace] = []
    /// Sets of a higher priority are tried first; 0 by default.
    package var priority: Int
    /// The state of the session that the set requires.
    package var requires: [StateEntry]
    /// The changes of the session's state after the set has answered.
    package var sets: [StateEntry]
    /// The variant that plays unless another is selected, its own or a built-in one; `nil` is the first.
    package var selected: String?
    /// Never empty; the first is the default.
    package var variants: [Variant]

    package init(
        name: String,
        request: RequestMatcher,
        priority: Int = 0,
        requires: [StateEntry] = [],
        sets: [StateEntry] = [],
        selected: String? = nil,
        variants: [Variant]
    ) {
        self.name = name
        self.request = request
        self.priority = priority
        self.requires = requires
        self.sets = sets
        self.selected = selected
        self.variants = variants
    }

    /// The variant that plays unless another is selected, by number.
    package var defaultVariant: Int {
        self.selected.flatMap { name in self.variants.firstIndex { $0.name == name } } ?? 0
    }

    /// True if a variant of it holds requests.
    package var mayHold: Bool { self.variants.contains { $0.behaviour.answer == .hold } }
}

/// One key of a session's state.
package struct StateEntry: Sendable, Hashable {
    package var key: String
    /// `nil` if the key is not set, or is to be removed.
    package var value: String?

    package init(_ key: String, _ value: String?) {
        self.key = key
        self.value = value
    }
}

/// One named answer in a response set.
package struct Variant: Sendable, Equatable {
    /// Unique within its response set.
    package var name: String
    package var behaviour: Behaviour

    package init(name: String, behaviour: Behaviour) {
        self.name = name
        self.behaviour = behaviour
    }

    /// A variant that plays takes in order; the last one repeats.
    package init(name: String, takes: [Take]) {
        self.init(name: name, behaviour: Behaviour(.takes(takes)))
    }

    /// The takes of a variant that plays takes; empty for one that does anything else. Setting them makes it one that
    /// plays takes.
    package var takes: [Take] {
        get {
            if case .takes(let takes) = self.behaviour.answer { takes } else { [] }
        }
        set { self.behaviour.answer = .takes(newValue) }
    }
}
