import TapedeckCore

/// What a recording changes in each set of a cassette, whichever way the cassette is written.
struct MergePlan {
    enum Change {
        case none
        case remove
        case removeVariant(Int)
        /// Nothing of the set is a recording's, or not in a place of its own.
        case addVariant([Take])
        /// The recorded takes of a variant go, these come in the place of the first.
        case replaceTakes(variant: Int, [Take])
        /// These come behind the recorded takes of a variant.
        case addTakes(variant: Int, [Take])
        /// These come in the place of the takes of a variant that have their numbers; all others stay.
        case renewTakes(variant: Int, [Int: Take])
    }

    /// One for each set.
    let changes: [Change]

    init(_ input: CassetteMerge.Input) {
        let cassette = input.cassette
        let inProfiles = cassette.profiles.reduce(into: Set<String>()) { names, profile in
            for case .set(let name) in profile.choices.map(\.target) { names.insert(name) }
        }
        self.changes = cassette.responseSets.enumerated().map { index, set in
            if let takes = input.renewals[index], let variant = set.recordedVariant {
                return .renewTakes(variant: variant, takes)
            }
            if let takes = input.recording.takes[index] {
                let adds = input.isAppending && set.isAddedTo(cassette.matching)
                return Self.change(of: set, takes, adds: adds)
            }
            // What a person has made more general may well be for requests that this run did not happen to make.
            guard input.leftovers == .remove, !inProfiles.contains(set.name),
                RecordedShape(set, rules: cassette.matching) != nil
            else { return .none }
            return Self.removal(from: set)
        }
    }

    private static func change(of set: ResponseSet, _ takes: [Take], adds: Bool) -> Change {
        guard let variant = set.recordedVariant else { return .addVariant(takes) }
        return adds ? .addTakes(variant: variant, takes) : .replaceTakes(variant: variant, takes)
    }

    /// The recorded takes of a set that was not asked for go. What is named elsewhere in the set stays, as there would
    /// be nothing behind that name.
    private static func removal(from set: ResponseSet) -> Change {
        guard let variant = set.recordedVariant else { return .none }
        guard set.variants[variant].isWhollyRecorded else { return .replaceTakes(variant: variant, []) }
        if set.variants.count == 1 { return .remove }
        let name = set.variants[variant].name
        let isNamed = set.selected == name || set.variants.contains { $0.behaviour.namedVariants.contains(name) }
        return isNamed ? .none : .removeVariant(variant)
    }
}

extension ResponseSet {
    /// The variant that recordings go into: the first that plays takes, and among them a recorded one. Another one with
    /// recorded takes is a copy that a person made to keep, so it counts as written by hand; so does one that a person
    /// built a behaviour around.
    package var recordedVariant: Int? {
        self.variants.firstIndex { $0.takes.contains { $0.recorded != nil } }
    }

    /// Whether what `append` records goes behind the takes of this set: it answers more than one request, or has
    /// answered as often as it may, so none of them has become out of date.
    fileprivate func isAddedTo(_ rules: MatchingRules) -> Bool {
        RecordedShape(self, rules: rules) == nil
            || self.recordedVariant.map { self.variants[$0].behaviour.after == .unmatched } ?? false
    }
}

extension Variant {
    fileprivate var isWhollyRecorded: Bool { self.takes.allSatisfy { $0.recorded != nil } }
}

extension Behaviour {
    /// The variants of its set that it leads to.
    fileprivate var namedVariants: [String] {
        var names: [String] =
            switch self.answer {
            case .takes, .passthrough, .hold: []
            case .variant(let name): [name]
            case .sequence(let parts): parts.flatMap(\.namedVariants)
            case .random(let parts): parts.flatMap(\.behaviour.namedVariants)
            case .conditional(_, let then, let otherwise): then.namedVariants + (otherwise?.namedVariants ?? [])
            }
        if case .variant(let name) = self.after { names.append(name) }
        return names
    }
}
