import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

/// The selections of the command line, resolved to names on the tape.
struct DeckSelection: Sendable {
    private let choices: [(set: String, variant: String)]
    /// Each with the sets and origins it is limited to; empty means all.
    private let profiles: [(name: String, targets: [String])]
    private let state: [(key: String, value: String)]

    /// - Throws: ``DeckError`` for a text of the wrong shape. Whether the names are there is seen when it is applied.
    init(_ configuration: DeckConfiguration, tape: Tape) throws(DeckError) {
        let isUnset = configuration.selections.isEmpty && configuration.profiles.isEmpty
        let sets = isUnset ? [] : Set(tape.setNames)
        let profiles = Set(tape.cassettes.flatMap(\.profiles).map(\.name))
        self.choices = try configuration.selections.map { text throws(DeckError) in
            let choice = try SelectionText.choice(text, sets: sets)
            let meant = sets.contains(choice.set) ? [] : tape.entries.map(\.set).named(choice.set)
            return (meant.count == 1 ? meant[0].name : choice.set, choice.variant)
        }
        self.profiles = try configuration.profiles.map { text throws(DeckError) in
            try SelectionText.profile(text, sets: sets, profiles: profiles)
        }
        self.state = try configuration.state.map { text throws(DeckError) in try SelectionText.state(text) }
    }

    /// Each profile with each of the sets and origins that it is limited to.
    var limits: [(profile: String, target: String)] {
        self.profiles.flatMap { profile in profile.targets.map { (profile.name, $0) } }
    }

    // MARK: Applying

    /// - Throws: ``DeckError`` if the set, variant or profile does not exist.
    func apply(to session: Session) throws(DeckError) {
        do {
            for choice in self.choices { try session.select(choice.variant, of: choice.set) }
            for profile in self.profiles { try session.apply(profile: profile.name, limitedTo: profile.targets) }
        } catch {
            throw DeckError("\(error)", kind: .badOption)
        }
        for entry in self.state { session.set(entry.key, to: entry.value) }
    }
}

extension DeckSelection {
    /// Returns a line for each limit of a profile under which the profile changes nothing. That is not an error, but
    /// looks like a typing mistake.
    func idleProfiles(_ tape: Tape) -> [String] {
        self.limits.compactMap { profile, target in
            guard let applied = try? TapeStack(tape).profile(profile, limitedTo: [target]) else { return nil }
            let isIdle = applied.choices.allSatisfy { choice in
                guard case .origin(let origin) = choice.target else { return false }
                return !tape.entries.contains { $0.set.request.isOnly(for: origin) }
            }
            guard isIdle else { return nil }
            let reason = applied.choices.isEmpty ? "it says nothing of it" : "no response set is for that origin alone"
            return "the profile \"\(profile)\" changes nothing for \(target): \(reason)"
        }
    }
}
