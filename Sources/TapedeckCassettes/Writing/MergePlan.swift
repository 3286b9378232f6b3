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

    /// The profile that the recording changes.
    struct ProfileChange {
        var name: String
        /// The names of the sets that it selects the variant of its name in.
        var added: [String] = []
        /// The names of the sets that have no such variant any more.
        var removed: Set<String> = []
        /// True if the recording's new sets are in it.
        var takesNew: Bool
    }

    /// One for each set.
    var changes: [Change] = []
    /// `nil` if no profile changes.
    var profile: ProfileChange?
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
        let incomplete = Self.setsWithoutAllUsers(input)
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
                    self.effect.unwritten += takes.requestCount
                    continue
                }
                if self.keepsApart(takes, of: index, input) { continue }
                if incomplete.contains(index) {
                    self.keepUserApart(takes, of: set)
                    continue
                }
                let change = Self.change(of: set, takes, input)
                if case .replaceTakes = change, set.recordedTakes.map(\.withoutDates) != takes.map(\.withoutDates) {
                    self.effect.replaced.append(set.name)
                }
                self.effect.written.append(set.name)
                self.changes.append(change)
            } else {
                // Another recording of the run may have made it.
                let isOfRun = input.run?.hasWritten(set, isShared: input.isShared) ?? false
                // A generalised set may be for requests that this run did not make.
                let mayGo =
                    input.leftovers != .keep && !isOfRun && !inProfiles.contains(set.name)
                    && RecordedShape(set, rules: cassette.matching) != nil
                let stays = !isComplete || input.leftovers != .remove
                self.note(mayGo ? Self.removal(from: set) : .none, of: set, stays: stays)
                if !input.isAppending, input.leftovers == .keep, set.hasRecordedTakes, !isOfRun {
                    self.effect.untouched.append(set.name)
                }
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

    /// Plans the change of a set that another session of the run has recorded, or that has a variant of this session's own:
    /// its answers are that variant, unless they are the same.
    ///
    /// - Returns: false for any other set.
    private mutating func keepsApart(_ takes: [Take], of index: Int, _ input: CassetteMerge.Input) -> Bool {
        let set = input.cassette.responseSets[index]
        let own = input.run?.session?.text
        // A variant of that name that a person has made, such as a copy, is none of the session's.
        let ownPlace = own.flatMap { name in
            set.variants.firstIndex { variant in
                variant.name == name && variant.takes.contains { $0.recorded != nil }
                    && variant.isScenario(of: set.name, input.cassette.profiles)
            }
        }
        if let ownPlace, let own {
            self.changes.append(.replaceTakes(variant: ownPlace, takes))
            self.select(set.name, own)
            return true
        }
        guard let run = input.run, run.isOthers(set, isShared: input.isShared) else { return false }
        guard !input.sameAsRecorded.contains(index) else {
            self.changes.append(.none)
            return true
        }
        if let variant = set.ownRecordedVariant, takes.isApart(from: set.variants[variant].takes) {
            // Other ranges of the same resource are no other answers.
            self.changes.append(.addTakes(variant: variant, takes))
            self.effect.written.append(set.name)
            return true
        }
        if own == nil, let earlier = run.earlierConflict(in: set) {
            self.changes.append(.replaceTakes(variant: earlier, takes))
            self.effect.conflicts.append(RecordingEffect.Conflict(set: set.name, variant: set.variants[earlier].name))
            return true
        }
        let name = self.addVariant(own ?? CassetteMerge.variantName, takes, to: set)
        self.effect.conflicts.append(RecordingEffect.Conflict(set: set.name, variant: name))
        if name == own { self.select(set.name, name) }
        return true
    }

    /// Adds takes as a variant beside the recorded one; returns its name.
    private mutating func addVariant(_ wanted: String, _ takes: [Take], to set: ResponseSet) -> String {
        var number = 2
        let name = CassetteMerge.unused(wanted, in: Set(set.variants.map(\.name)), from: &number)
        self.changes.append(.addNamedVariant(name, takes))
        return name
    }

    /// Returns the sets that differ in their credentials alone, of which the recording has some and lacks some.
    private static func setsWithoutAllUsers(_ input: CassetteMerge.Input) -> Set<Int> {
        var users: [RecordedShape: [Int]] = [:]
        for (index, set) in input.cassette.responseSets.enumerated()
        where set.hasRecordedTakes && set.request.mentionsCredential {
            guard let shape = RecordedShape(set, rules: input.cassette.matching) else { continue }
            users[shape.withoutCredentials, default: []].append(index)
        }
        return users.values.reduce(into: []) { sets, indices in
            let recorded = indices.filter { input.recording.takes[$0] != nil }
            if recorded.count < indices.count { sets.formUnion(recorded) }
        }
    }

    /// Plans the change of one of several users' sets by a recording that lacks some of them. Credentials are not on tape, so
    /// whose answers these are is not known: they become a variant, unless they are the same.
    private mutating func keepUserApart(_ takes: [Take], of set: ResponseSet) {
        guard set.recordedTakes.map(\.withoutDates) != takes.map(\.withoutDates) else {
            self.changes.append(.none)
            return
        }
        let wanted = CassetteMerge.unknownUserName
        let earlier = set.variants.firstIndex { $0.name == wanted && $0.isWhollyRecorded }
        if let earlier { self.changes.append(.replaceTakes(variant: earlier, takes)) }
        let name = earlier == nil ? self.addVariant(wanted, takes, to: set) : wanted
        self.effect.ofUnknownUsers.append(RecordingEffect.Conflict(set: set.name, variant: name))
    }

    private mutating func select(_ set: String, _ variant: String) {
        var profile = self.profile ?? ProfileChange(name: variant, takesNew: false)
        profile.added.append(set)
        self.profile = profile
    }

    private static func change(of set: ResponseSet, _ takes: [Take], _ input: CassetteMerge.Input) -> Change {
        guard let first = set.recordedVariant else { return .addVariant(takes) }
        // A set that only scenarios have requested so far gets its default now.
        if set.variants[first].isScenario(of: set.name, input.cassette.profiles) { return .addDefault(takes) }
        let old = set.variants[first].takes.filter { $0.recorded != nil }
        if input.isAppending, set.isAddedTo(input.cassette.matching) || takes.isApart(from: old) {
            return .addTakes(variant: first, takes)
        }
        // Another variant is somebody's own, even if its takes come from a recording.
        guard let variant = set.ownRecordedVariant else { return .addVariant(takes) }
        return .replaceTakes(variant: variant, takes + set.variants[variant].takes.notReplaced(by: takes))
    }

    /// Removes the recorded takes of a set that was not requested. A set with other variants stays, because one of them
    /// would become its default.
    private static func removal(from set: ResponseSet) -> Change {
        guard let variant = set.recordedVariant, set.variants.count == 1 else { return .none }
        return set.variants[variant].isWhollyRecorded ? .remove : .replaceTakes(variant: variant, [])
    }
}

extension ResponseSet {
    /// The variant that recordings go into: the first with takes, including a recorded one. Another one with recorded
    /// takes is a copy to keep, so it counts as written by hand; so does one with a behaviour around them.
    package var recordedVariant: Int? {
        self.variants.firstIndex { $0.takes.contains { $0.recorded != nil } }
    }

    /// The variant that recordings write: `recorded`, or `recorded (2)` where a person has made that another behaviour.
    var ownRecordedVariant: Int? {
        self.variants.firstIndex { variant in
            variant.takes.contains { $0.recorded != nil }
                && (variant.name == CassetteMerge.variantName
                    || variant.name.hasPrefix("\(CassetteMerge.variantName) ("))
        }
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

extension [Take] {
    /// True if none of these takes is for a request with the conditions and the range of another one's.
    fileprivate func isApart(from others: [Take]) -> Bool {
        Set(self.map(\.selectingFields)).isDisjoint(with: others.map(\.selectingFields))
    }

    /// The takes that a recording wrote for requests with other conditions or ranges than these, and that may stay beside
    /// them: of the same representation, or beside answers that have no content.
    fileprivate func notReplaced(by takes: [Take]) -> [Take] {
        let fields = Set(takes.map(\.selectingFields))
        let representations = Set(takes.compactMap(\.representation))
        let haveContent = takes.contains { !$0.isWithoutContent }
        return self.filter { old in
            old.recorded != nil && !fields.contains(old.selectingFields)
                && (!haveContent || old.isWithoutContent || old.representation.map(representations.contains) ?? false)
        }
    }
}

extension Take {
    /// The take without what is different in every recording of the same answer: when it was recorded, and its Date.
    var withoutDates: Take {
        var take = self
        take.recorded = nil
        take.headers.removeAll { $0.isNamed("date") }
        return take
    }
}

extension Variant {
    /// True if a recording was saved as this variant: the profile of its name selects it.
    func isScenario(of set: String, _ profiles: [Profile]) -> Bool {
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
