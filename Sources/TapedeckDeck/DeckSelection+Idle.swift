import TapedeckCore

extension DeckSelection {
    /// What a profile is limited to although it changes nothing there, a line each: nothing is wrong with that, but a
    /// typing mistake looks like it.
    func idleProfiles(_ tape: Tape) -> [String] {
        self.limits.compactMap { profile, target in
            guard let applied = try? TapeStack(tape).profile(profile, limitedTo: [target]) else { return nil }
            let isIdle = applied.choices.allSatisfy { choice in
                guard case .origin(let origin) = choice.target else { return false }
                return !tape.entries.indices.contains { tape.asks($0, for: origin) }
            }
            guard isIdle else { return nil }
            let reason = applied.choices.isEmpty ? "it says nothing of it" : "no response set is for that origin alone"
            return "the profile \"\(profile)\" changes nothing for \(target): \(reason)"
        }
    }
}
