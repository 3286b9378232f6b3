import TapedeckCore

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
}
