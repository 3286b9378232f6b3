/// Which variants a session has selected, over those that the cassettes say.
package struct Selection: Sendable, Equatable {
    /// A profile that is in force, maybe for some sets only.
    package struct AppliedProfile: Sendable, Equatable {
        package var name: String
        package var choices: [Profile.Choice]
    }

    /// By the name of the set.
    package private(set) var variants: [String: String] = [:]
    /// The last one applied comes last, and wins.
    package private(set) var profiles: [AppliedProfile] = []

    package init() {}

    package var isEmpty: Bool { self.variants.isEmpty && self.profiles.isEmpty }

    /// Whether anything selected depends on the seed.
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

/// What is in force for one set.
struct EffectiveVariant: Sendable {
    enum Base: Sendable, Equatable {
        case variant(Int)
        case builtIn(BuiltInVariant)
    }

    var base: Base
    /// What goes around it.
    var wrappers: [BuiltInVariant]
}

extension Tape {
    /// The variant of a set that a selection comes to: the set's own choice, else that of the profile applied last
    /// that has one, else the file's. What goes around an answer, such as `slow`, adds up over all of them.
    func effectiveVariant(of entry: Int, _ selection: Selection) -> EffectiveVariant {
        let set = self.entries[entry].set
        var base: EffectiveVariant.Base?
        var wrappers: [BuiltInVariant] = []
        let own = selection.variants[set.name].map { [$0] } ?? []
        for name in own + selection.profiles.reversed().compactMap({ self.choice(of: $0.choices, for: entry) }) {
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

    private func choice(of choices: [Profile.Choice], for entry: Int) -> String? {
        let set = self.entries[entry].set
        func has(_ variant: String) -> Bool {
            BuiltInVariant(rawValue: variant) != nil || set.variants.contains { $0.name == variant }
        }
        if let own = choices.last(where: { $0.target == .set(set.name) }) { return own.variant }
        let ofOrigin = choices.last { choice in
            guard case .origin(let origin) = choice.target else { return false }
            return has(choice.variant) && self.asks(entry, for: origin)
        }
        return (ofOrigin ?? choices.last { $0.target == .all && has($0.variant) })?.variant
    }

    /// Whether a set is for an origin and no other.
    package func asks(_ entry: Int, for origin: Origin) -> Bool {
        let request = self.entries[entry].set.request
        switch request.url {
        case .exact(let url): return url.origin == origin
        case .template(let template): return Self.begins(template.source, with: origin)
        case .pattern(let pattern):
            return Array("\(origin)/".utf8).withUnsafeBytes { start in
                pattern.literals.prefix.starts(with: start)
            }
        case .exactPath, .any: break
        }
        guard case .names(let names) = request.host else { return false }
        return names.allSatisfy { $0 == origin.authority || $0 == origin.host }
    }

    private static func begins(_ template: String, with origin: Origin) -> Bool {
        AbsoluteURL(String(template.prefix { $0 != "{" }))?.origin == origin
    }

    // MARK: Checking names

    /// The names of every set, in order, each once.
    package var setNames: [String] {
        var seen: Set<String> = []
        return self.entries.map(\.set.name).filter { seen.insert($0).inserted }
    }

    /// - Throws: when there is no such set, or none of that name has such a variant.
    package func check(variant: String, of set: String) throws(SelectionError) {
        let entries = self.entries(named: set)
        guard !entries.isEmpty else {
            throw SelectionError(description: "there is no response set \"\(set)\"" + Self.hint(set, self.setNames))
        }
        let names = entries.flatMap { self.entries[$0].set.variants.map(\.name) }
        let builtIns = BuiltInVariant.allCases.map(\.rawValue)
        guard !names.contains(variant), !builtIns.contains(variant) else { return }
        let near = Spelling.nearest(to: variant, among: names + builtIns).map { "; did you mean \"\($0)\"?" } ?? "."
        throw SelectionError(
            description: "the response set \"\(set)\" has no variant \"\(variant)\"\(near) It has: "
                + "\(names.joined(separator: ", ")); and every set has: \(builtIns.joined(separator: ", "))"
        )
    }

    /// The profile called `name`: one of a cassette, else a built-in one. `targets` are the sets and origins it is
    /// limited to; none is no limit.
    package func profile(_ name: String, limitedTo targets: [String]) throws(SelectionError) -> Selection.AppliedProfile
    {
        var choices: [Profile.Choice] = []
        let written = self.cassettes.flatMap(\.profiles).filter { $0.name == name }
        if !written.isEmpty {
            choices = written.flatMap(\.choices)
        } else if BuiltInVariant(rawValue: name) != nil {
            choices = [Profile.Choice(.all, name)]
        } else {
            let all = self.cassettes.flatMap(\.profiles).map(\.name) + BuiltInVariant.allCases.map(\.rawValue)
            var seen: Set<String> = []
            let names = all.filter { seen.insert($0).inserted }
            throw SelectionError(description: "there is no profile \"\(name)\"" + Self.hint(name, names))
        }
        guard !targets.isEmpty else { return Selection.AppliedProfile(name: name, choices: choices) }
        var limited: [Profile.Choice] = []
        for target in targets {
            limited += try self.limit(choices, to: target)
        }
        return Selection.AppliedProfile(name: name, choices: limited)
    }

    private func limit(_ choices: [Profile.Choice], to target: String) throws(SelectionError) -> [Profile.Choice] {
        if let origin = Origin(target) {
            let ofOrigin = choices.filter { $0.target == .origin(origin) || $0.target == .all }
                .map { Profile.Choice(.origin(origin), $0.variant) }
            let own = choices.filter { choice in
                guard case .set(let name) = choice.target else { return false }
                return self.entries(named: name).contains { self.asks($0, for: origin) }
            }
            return ofOrigin + own
        }
        guard !self.entries(named: target).isEmpty else {
            throw SelectionError(
                description: "there is no response set \"\(target)\"" + Self.hint(target, self.setNames)
            )
        }
        return self.entries(named: target).compactMap { self.choice(of: choices, for: $0) }.prefix(1)
            .map { Profile.Choice(.set(target), $0) }
    }

    /// What there is, with the nearest first.
    private static func hint(_ name: String, _ names: [String]) -> String {
        let near = Spelling.nearest(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
        guard !names.isEmpty else { return "; there is none" }
        let shown = names.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return "\(near.isEmpty ? "." : near) There is: \(shown)\(more)"
    }
}
