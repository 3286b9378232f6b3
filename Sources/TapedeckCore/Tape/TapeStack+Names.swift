/// Checks the names of selections.
extension TapeStack {
    /// - Throws: an error if the set does not exist, or no set of that name has the variant.
    package func check(variant: String, of set: String) throws(SelectionError) {
        let sets = self.sets(named: set)
        guard !sets.isEmpty else {
            let hint = Spelling.hint(for: set, among: self.setNames)
            throw SelectionError(description: "there is no response set \"\(set)\"\(hint)")
        }
        let names = sets.flatMap { $0.variants.map(\.name) }
        let builtIns = BuiltInVariant.allCases.map(\.rawValue)
        guard !names.contains(variant), !builtIns.contains(variant) else { return }
        let near = Spelling.nearest(to: variant, among: names + builtIns).map { "; did you mean \"\($0)\"?" } ?? "."
        throw SelectionError(
            description: "the response set \"\(set)\" has no variant \"\(variant)\"\(near) It has: "
                + "\(names.joined(separator: ", ")); and every set has: \(builtIns.joined(separator: ", "))"
        )
    }

    /// Returns the profile called `name`: one of a cassette, else a built-in one. `targets` are the sets and origins it
    /// is limited to; empty means all.
    package func profile(_ name: String, limitedTo targets: [String]) throws(SelectionError) -> Selection.AppliedProfile
    {
        var choices: [Profile.Choice] = []
        let written = self.cassettes.cassettes.flatMap(\.profiles).filter { $0.name == name }
        if !written.isEmpty {
            choices = written.flatMap(\.choices)
        } else if BuiltInVariant(rawValue: name) != nil {
            choices = [Profile.Choice(.all, name)]
        } else {
            throw SelectionError(
                description: "there is no profile \"\(name)\"" + Spelling.hint(for: name, among: self.profileNames)
            )
        }
        guard !targets.isEmpty else { return Selection.AppliedProfile(name: name, choices: choices) }
        var limited: [Profile.Choice] = []
        for target in targets {
            limited += try self.limit(choices, to: target)
        }
        return Selection.AppliedProfile(name: name, targets: targets, choices: limited)
    }

    private func limit(_ choices: [Profile.Choice], to target: String) throws(SelectionError) -> [Profile.Choice] {
        if let origin = Origin(target) {
            let ofOrigin = choices.filter { $0.target == .origin(origin) || $0.target == .all }
                .map { Profile.Choice(.origin(origin), $0.variant) }
            let own = choices.filter { choice in
                guard case .set(let name) = choice.target else { return false }
                return self.layers.contains { _, tape in
                    tape.entries(named: name).contains { tape.entries[$0].set.request.isOnly(for: origin) }
                }
            }
            return ofOrigin + own
        }
        guard !self.sets(named: target).isEmpty else {
            throw SelectionError(
                description: "there is no response set \"\(target)\"" + Spelling.hint(for: target, among: self.setNames)
            )
        }
        let variants = self.layers.flatMap { _, tape in
            tape.entries(named: target).compactMap { tape.choice(of: choices, for: $0) }
        }
        return variants.prefix(1).map { Profile.Choice(.set(target), $0) }
    }

    private func sets(named name: String) -> [ResponseSet] {
        self.layers.flatMap { _, tape in tape.entries(named: name).map { tape.entries[$0].set } }
    }
}
