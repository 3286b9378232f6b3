import TapedeckCore

/// Recordings that are saved as a variant: see ``CassetteMerge/Input/scenario``.
extension MergePlan {
    /// Plans the changes of a recording that is saved as one variant of each response set. No other variant changes.
    init(_ input: CassetteMerge.Input, scenario: CassetteMerge.Scenario) {
        self.init()
        let cassette = input.cassette
        for (index, set) in cassette.responseSets.enumerated() {
            let place = set.variants.firstIndex { $0.name == scenario.name }
            // A copy of recorded takes that no recording has saved under this name is a person's, too.
            let isHandwritten =
                place.map { place in
                    !set.variants[place].takes.contains { $0.recorded != nil }
                        || !set.variants[place].isScenario(of: set.name, cassette.profiles)
                } ?? false
            if let takes = input.recording.takes[index] {
                if isHandwritten {
                    self.effect.handwritten.append(set.name)
                    self.effect.unwritten += takes.requestCount
                    self.changes.append(.none)
                } else if scenario.unchanged.contains(index), place != set.defaultVariant {
                    self.effect.same.append(set.name)
                    self.effect.unwritten += takes.requestCount
                    self.changes.append(place.map { Self.removal(of: $0, from: set, cassette) } ?? .none)
                } else if let place {
                    self.changes.append(.replaceTakes(variant: place, takes))
                } else {
                    self.changes.append(.addNamedVariant(scenario.name, takes))
                }
                continue
            }
            guard let place, !isHandwritten, input.leftovers != .keep else {
                self.changes.append(.none)
                continue
            }
            let removal = Self.removal(of: place, from: set, cassette)
            if case .none = removal {
                self.changes.append(.none)
            } else if input.leftovers != .remove {
                self.effect.unreached.append(set.name)
                self.changes.append(.none)
            } else {
                self.effect.removed.append(set.name)
                self.changes.append(removal)
            }
        }
        self.profile = ProfileChange(
            name: scenario.name,
            added: self.written(input),
            removed: self.unwritten(input),
            takesNew: true
        )
    }

    /// Returns the change that removes a variant from a set; none if a person wrote takes into it, or if anything other
    /// than the profile of its name refers to it.
    private static func removal(of place: Int, from set: ResponseSet, _ cassette: Cassette) -> Change {
        let name = set.variants[place].name
        let isSelected = cassette.profiles.contains { profile in
            profile.choices.contains {
                guard $0.variant == name else { return false }
                // The line of the scenario's own profile is removed with the variant.
                if case .set(let other) = $0.target { return other == set.name && profile.name != name }
                return true
            }
        }
        guard set.variants[place].takes.allSatisfy({ $0.recorded != nil }) else { return .none }
        if set.variants.count == 1 { return isSelected ? .none : .remove }
        let isNamed =
            isSelected || set.selected == name
            || set.variants.contains { $0.behaviour.namedVariants.contains(name) }
        return isNamed ? .none : .removeVariant(place)
    }

    /// Returns the names of the sets of the cassette that have the scenario's variant from this recording.
    private func written(_ input: CassetteMerge.Input) -> [String] {
        zip(input.cassette.responseSets, self.changes).compactMap { set, change in
            switch change {
            case .addNamedVariant, .replaceTakes: set.name
            default: self.effect.handwritten.contains(set.name) ? set.name : nil
            }
        }
    }

    /// Returns the names of the sets that lose the scenario's variant.
    private func unwritten(_ input: CassetteMerge.Input) -> Set<String> {
        Set(
            zip(input.cassette.responseSets, self.changes).compactMap { set, change in
                switch change {
                case .remove, .removeVariant: set.name
                default: nil
                }
            }
        )
    }
}

extension CassetteMerge {
    /// A recording that is saved as one variant of each response set, with a profile that selects these variants.
    struct Scenario {
        /// The name of the variant and of the profile.
        var name: String
        /// The numbers of the sets whose default variant answers as this recording: nothing is written there.
        var unchanged: Set<Int> = []
    }
}

extension CassetteStore {
    /// Returns the numbers of the sets whose default variant plays what a recording holds for them, as far as it counts
    /// under the cassette's rules: neither times nor what `ignore` names.
    ///
    /// - Parameter variant: returns the variant of a set that is compared, by number; the default one by default.
    func unchanged(
        _ recording: SortedRecording,
        in cassette: Cassette,
        comparing variant: (ResponseSet) -> Int? = { $0.defaultVariant }
    ) -> Set<Int> {
        Set(
            recording.takes.compactMap { index, takes -> Int? in
                let set = cassette.responseSets[index]
                guard let compared = variant(set) else { return nil }
                let standard = set.variants[compared]
                let old = standard.takes
                guard let last = old.indices.last, standard.behaviour == Variant(name: "", takes: old).behaviour else {
                    return nil
                }
                let isSame = takes.enumerated().allSatisfy { place, take in
                    // The last take repeats.
                    guard let one = try? ComparableTake(old[min(place, last)], digest: self.digest),
                        let other = try? ComparableTake(take, digest: self.digest)
                    else { return false }
                    return TakeComparison.differences(one.take, other.take, ignoring: cassette.matching).isEmpty
                }
                return isSame ? index : nil
            }
        )
    }
}
