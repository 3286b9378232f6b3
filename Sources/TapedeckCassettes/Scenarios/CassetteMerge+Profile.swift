import TapedeckCore
import TapedeckYAML

/// The profile of a scenario, or of a session with answers of its own: it selects the variant of its name in each set that has it from the recording.
extension CassetteMerge {
    /// Returns the profiles of a cassette once a scenario is recorded.
    ///
    /// - Parameter new: the names of the sets that the recording adds.
    static func profiles(_ input: Input, _ plan: MergePlan, new: [String]) -> [Profile] {
        guard let change = plan.profile else { return input.cassette.profiles }
        var profiles = input.cassette.profiles
        let index = profiles.firstIndex { $0.name == change.name } ?? profiles.count
        if index == profiles.count { profiles.append(Profile(name: change.name, choices: [])) }
        profiles[index].choices.removeAll { choice in
            guard case .set(let name) = choice.target else { return false }
            return choice.variant == change.name && change.removed.contains(name)
        }
        for name in change.added + (change.takesNew ? new : []) {
            let target = Profile.Choice.Target.set(name)
            guard !profiles[index].choices.contains(where: { $0.target == target }) else { continue }
            profiles[index].choices.append(Profile.Choice(target, change.name))
        }
        return profiles
    }

    /// Brings the profile of a scenario into the text; false where its layout leaves no place to edit.
    mutating func editProfile(_ root: YAMLNode, _ input: Input, new: [String]) -> Bool {
        guard let change = self.plan.profile else { return true }
        let wanted = Self.profiles(input, self.plan, new: new)
        guard wanted != input.cassette.profiles, let profile = wanted.first(where: { $0.name == change.name }) else {
            return true
        }
        let source = self.document.source
        guard let pair = root.pairs.first(where: { $0.key.string == "profiles" }), !pair.value.isNull else {
            guard root.column == 0, root["profiles"] == nil else { return false }
            self.editor.insert(CassetteWriter.text(of: [profile]), at: source.count)
            return true
        }
        guard pair.value.kind == .mapping, !pair.value.isFlow, let end = Self.lineEnd(pair.value, source) else {
            return false
        }
        let column = pair.value.column
        guard let old = pair.value.pairs.first(where: { $0.key.string == change.name }) else {
            self.editor.insert(CassetteWriter.text(of: profile, indent: column), at: end)
            return true
        }
        return self.edit(old.value, to: profile, column: column)
    }

    /// Removes the lines of choices that a profile no longer has, and appends new ones.
    private mutating func edit(_ node: YAMLNode, to profile: Profile, column: Int) -> Bool {
        let source = self.document.source
        guard node.kind == .mapping else { return false }
        guard !node.isFlow else {
            // `{}` goes; a comment behind it stays.
            guard node.count == 0, let end = Self.lineEnd(node, source) else { return false }
            self.editor.replace(node.range, with: [])
            self.editor.insert(CassetteWriter.text(of: profile.choices, indent: column + 2), at: end)
            return true
        }
        guard let end = Self.lineEnd(node, source) else { return false }
        let wanted = Set(profile.choices.map(\.target.key))
        var present: Set<String> = []
        for (key, value) in node.pairs {
            guard wanted.contains(key.string) else {
                let start = source[..<key.range.lowerBound].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
                guard let end = Self.lineEnd(value, source) else { return false }
                self.editor.replace(start..<end, with: [])
                continue
            }
            present.insert(key.string)
        }
        let added = profile.choices.filter { !present.contains($0.target.key) }
        if present.isEmpty, added.isEmpty { return false }
        self.editor.insert(CassetteWriter.text(of: added, indent: node.column), at: end)
        return true
    }

    /// Returns the start of the line after a node's last one; `nil` where the text ends without a line feed.
    private static func lineEnd(_ node: YAMLNode, _ source: [UInt8]) -> Int? {
        let last = max(node.range.upperBound - 1, 0)
        return source[last...].firstIndex(of: ASCII.lineFeed).map { $0 + 1 }
    }
}
