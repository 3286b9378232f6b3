import TapedeckCore

/// The changes of a recording to each set of a cassette, for either way of writing the cassette.
struct MergePlan {
    enum Change {
        case none
        case remove
        case removeVariant(Int)
        /// The set has no recorded takes, or only inside other behaviours.
        case addVariant([Take])
        /// The set has recorded takes of scenarios alone; these become its default, in front of them.
        case addDefault([Take])
        /// A new variant of this name comes behind the others.
        case addNamedVariant(String, [Take])
        /// The recorded takes of a variant go, these come in the place of the first.
        case replaceTakes(variant: Int, [Take])
        /// These come behind the recorded takes of a variant.
        case addTakes(variant: Int, [Take])
        /// These come in the place of the takes of a variant that have their numbers; all others stay.
        case renewTakes(variant: Int, [Int: Take])
    }

    /// One for each set.
    var changes: [Change] = []
    /// The names of the sets that change, or stay because of a failure.
    var effect = RecordingEffect()

    init() {}

    init(_ input: CassetteMerge.Input) {
        if let scenario = input.scenario {
            self.init(input, scenario: scenario)
            return
        }
        self.init()
        let cassette = input.cassette
        let inProfiles = cassette.profiles.reduce(into: Set<String>()) { names, profile in
            for case .set(let name) in profile.choices.map(\.target) { names.insert(name) }
        }
        let kept = Self.setsWhoseAnswersStay(input)
        let hasAnswer = { (takes: [Take]) in takes.contains { $0.fault == nil } }
        let hasAnswers =
            input.recording.new.contains { hasAnswer($0.takes) }
            || input.recording.takes.contains { !kept.contains($0.key) && hasAnswer($0.value) }
        // A run with failed requests is no evidence about the sets that it did not request.
        let isComplete = kept.isEmpty && (hasAnswers || !input.keepsAnswers)
        self.effect.isAllFailed = !kept.isEmpty && !hasAnswers
        self.effect.commandFailed = input.leftovers == .keepAfterFailure
        for (index, set) in cassette.responseSets.enumerated() {
            if let takes = input.renewals[index], let variant = set.recordedVariant {
                self.changes.append(.renewTakes(variant: variant, takes))
            } else if let takes = input.recording.takes[index] {
                if kept.contains(index) {
                    self.changes.append(.none)
                    self.effect.kept.append(set.name)
                    self.effect.unwritten += takes.count
                    continue
                }
                let adds = input.isAppending && set.isAddedTo(cassette.matching)
                let change = Self.change(of: set, takes, adds: adds, cassette.profiles)
                if case .replaceTakes = change, set.recordedTakes.map(\.withoutTimes) != takes.map(\.withoutTimes) {
                    self.effect.replaced.append(set.name)
                }
                self.changes.append(change)
            } else {
                // A generalised set may be for requests that this run did not make.
                let mayGo =
                    input.leftovers != .keep && !inProfiles.contains(set.name)
                    && RecordedShape(set, rules: cassette.matching) != nil
                let stays = !isComplete || input.leftovers == .keepAfterFailure
                self.note(mayGo ? Self.removal(from: set) : .none, of: set, stays: stays)
            }
        }
    }

    /// - Parameter stays: true if the set stays although this run did not request it, because the run is not complete.
    private mutating func note(_ change: Change, of set: ResponseSet, stays: Bool) {
        guard case .none = change else {
            if stays {
                self.effect.unreached.append(set.name)
            } else {
                self.effect.removed.append(set.name)
            }
            self.changes.append(stays ? .none : change)
            return
        }
        self.changes.append(.none)
    }

    /// Returns the sets in which a failure of this run would replace an answer on tape. A set is replaced whole or not
    /// at all, because its takes belong together. After the last take on tape the last one counts, because it repeats.
    private static func setsWhoseAnswersStay(_ input: CassetteMerge.Input) -> Set<Int> {
        guard input.keepsAnswers else { return [] }
        let sets = input.cassette.responseSets
        return Set(
            input.recording.takes.compactMap { index, takes in
                let old = sets[index].recordedTakes
                let adds = input.isAppending && sets[index].isAddedTo(input.cassette.matching)
                guard !adds, !old.isEmpty else { return nil }
                let isKept = takes.enumerated().contains { place, take in
                    take.fault != nil && old[min(place, old.count - 1)].fault == nil
                }
                return isKept ? index : nil
            }
        )
    }

    private static func change(
        of set: ResponseSet,
        _ takes: [Take],
        adds: Bool,
        _ profiles: [Profile]
    ) -> Change {
        guard let variant = set.recordedVariant else { return .addVariant(takes) }
        // A set that only scenarios have requested so far gets its default now.
        if set.variants[variant].isScenario(of: set.name, profiles) { return .addDefault(takes) }
        return adds ? .addTakes(variant: variant, takes) : .replaceTakes(variant: variant, takes)
    }

    /// Removes the recorded takes of a set that was not requested. Parts that the set refers to elsewhere stay.
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
    /// The variant that recordings go into: the first with takes, including a recorded one. Another one with recorded
    /// takes is a copy to keep, so it counts as written by hand; so does one with a behaviour around them.
    package var recordedVariant: Int? {
        self.variants.firstIndex { $0.takes.contains { $0.recorded != nil } }
    }

    /// The takes of the recorded variant that a recording wrote.
    fileprivate var recordedTakes: [Take] {
        self.recordedVariant.map { self.variants[$0].takes.filter { $0.recorded != nil } } ?? []
    }

    /// Returns true if `append` adds its takes after those of this set: it answers more than one request, or its takes
    /// are used up, so none of them is outdated.
    fileprivate func isAddedTo(_ rules: MatchingRules) -> Bool {
        RecordedShape(self, rules: rules) == nil
            || self.recordedVariant.map { self.variants[$0].behaviour.after == .unmatched } ?? false
    }
}

extension Take {
    /// The take without what is different in every recording of the same answer: when it was recorded, and its Date.
    fileprivate var withoutTimes: Take {
        var take = self
        take.recorded = nil
        take.headers.removeAll { $0.isNamed("date") }
        return take
    }
}

extension Variant {
    /// True if a recording was saved as this variant: the profile of its name selects it.
    fileprivate func isScenario(of set: String, _ profiles: [Profile]) -> Bool {
        profiles.contains { profile in
            profile.name == self.name
                && profile.choices.contains { $0.target == .set(set) && $0.variant == self.name }
        }
    }

    fileprivate var isWhollyRecorded: Bool { self.takes.allSatisfy { $0.recorded != nil } }
}

extension Behaviour {
    /// The variants of its set that it refers to.
    var namedVariants: [String] {
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
