/// The variants that a session has selected, over those of the cassettes.
package struct Selection: Sendable, Equatable {
    /// A profile that is in force, maybe for some sets only.
    package struct AppliedProfile: Sendable, Equatable {
        package var name: String
        /// The sets and origins it is limited to; empty means all.
        package var targets: [String] = []
        package var choices: [Profile.Choice]
    }

    /// By the name of the set.
    package private(set) var variants: [String: String] = [:]
    /// The last one applied comes last, and wins.
    package private(set) var profiles: [AppliedProfile] = []

    package init() {}

    package var isEmpty: Bool { self.variants.isEmpty && self.profiles.isEmpty }

    /// True if anything selected depends on the seed.
    var usesRandom: Bool {
        let names = Array(self.variants.values) + self.profiles.flatMap(\.choices).map(\.variant)
        return names.contains { BuiltInVariant(rawValue: $0)?.isWrapper ?? false }
    }

    mutating func select(_ variant: String, of set: String) {
        self.variants[set] = variant
    }

    mutating func reset(_ set: String) {
        self.variants[set] = nil
    }

    /// A profile that is applied again moves to the top.
    mutating func apply(_ profile: AppliedProfile) {
        self.revert(profile.name)
        self.profiles.append(profile)
    }

    /// Checks everything selected against other tapes, and returns selections that no longer exist. Where a selection
    /// is gone, an earlier profile's selection applies.
    mutating func refresh(_ tapes: TapeStack) -> [SelectionError] {
        var problems: [SelectionError] = []
        for (set, variant) in self.variants.sorted(by: { $0.key < $1.key }) {
            do throws(SelectionError) {
                try tapes.check(variant: variant, of: set)
            } catch {
                problems.append(error)
            }
        }
        self.profiles = self.profiles.map { profile in
            do throws(SelectionError) {
                return try tapes.profile(profile.name, limitedTo: profile.targets)
            } catch {
                problems.append(error)
                return profile
            }
        }
        return problems
    }

    /// Returns whether the profile was in force.
    @discardableResult
    mutating func revert(_ name: String) -> Bool {
        let count = self.profiles.count
        self.profiles.removeAll { $0.name == name }
        return self.profiles.count < count
    }
}

/// A set, a variant or a profile that is not there.
package struct SelectionError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}

/// The selected variant of one set.
struct EffectiveVariant: Sendable {
    enum Base: Sendable, Equatable {
        case variant(Int)
        case builtIn(BuiltInVariant)
    }

    var base: Base
    /// The variants that wrap it.
    var wrappers: [BuiltInVariant]
}

extension Tape {
    /// Returns the effective variant of a set: the set's own selection, else that of the profile applied last that has
    /// one, else the file's. Wrappers such as `slow` of all of them add up.
    func effectiveVariant(of entry: Int, _ selection: Selection) -> EffectiveVariant {
        let set = self.entries[entry].set
        var base: EffectiveVariant.Base?
        var wrappers: [BuiltInVariant] = []
        let own = selection.variants[set.name].map { [$0] } ?? []
        let chosen = selection.profiles.reversed().compactMap { self.choice(of: $0.choices, for: entry) }
        for name in own + chosen + (set.selectedBuiltIn.map { [$0.rawValue] } ?? []) {
            if let variant = set.variants.firstIndex(where: { $0.name == name }) {
                base = base ?? .variant(variant)
            } else if let builtIn = BuiltInVariant(rawValue: name) {
                if !builtIn.isWrapper {
                    base = base ?? .builtIn(builtIn)
                } else if !wrappers.contains(builtIn) {
                    wrappers.append(builtIn)
                }
            }
        }
        return EffectiveVariant(base: base ?? .variant(set.defaultVariant), wrappers: wrappers)
    }

    func choice(of choices: [Profile.Choice], for entry: Int) -> String? {
        self.entries[entry].set.choice(of: choices)
    }

    /// The names of every set, in order, each once.
    package var setNames: [String] {
        var seen: Set<String> = []
        return self.entries.map(\.set.name).filter { seen.insert($0).inserted }
    }
}

extension ResponseSet {
    /// The variant that the choices of a profile give the set: its own choice, else that for its origin, else that for all.
    package func choice(of choices: [Profile.Choice]) -> String? {
        func has(_ variant: String) -> Bool {
            BuiltInVariant(rawValue: variant) != nil || self.variants.contains { $0.name == variant }
        }
        if let own = choices.last(where: { $0.target == .set(self.name) }) { return own.variant }
        let ofOrigin = choices.last { choice in
            guard case .origin(let origin) = choice.target else { return false }
            return has(choice.variant) && self.request.isOnly(for: origin)
        }
        return (ofOrigin ?? choices.last { $0.target == .all && has($0.variant) })?.variant
    }
}
