import TapedeckCore
import TapedeckProxy

/// What a deck is told to play, taken apart: the texts of the command line against the names on the tape.
struct DeckSelection: Sendable {
    private struct Choice: Sendable {
        var set: String
        var variant: String
    }

    private struct AppliedProfile: Sendable {
        var name: String
        /// The sets and origins it is limited to; none is no limit.
        var targets: [String] = []
    }

    private let choices: [Choice]
    private let profiles: [AppliedProfile]
    private let state: [StateEntry]

    /// - Throws: ``DeckError`` for a text of the wrong shape. Whether the names are there is seen when it is applied.
    init(_ configuration: DeckConfiguration, tape: Tape) throws(DeckError) {
        let names = Set(tape.setNames)
        var choices: [Choice] = []
        for text in configuration.selections { choices.append(try Self.choice(text, names: names)) }
        self.choices = choices
        let profiles = Set(tape.cassettes.flatMap(\.profiles).map(\.name))
        var applied: [AppliedProfile] = []
        for text in configuration.profiles {
            let isName = profiles.contains(text)
            applied.append(isName ? AppliedProfile(name: text) : try Self.profile(text, names: names))
        }
        self.profiles = applied
        var state: [StateEntry] = []
        for text in configuration.state {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw DeckError("\"\(text)\" sets no state; write KEY=VALUE", kind: .badOption)
            }
            state.append(StateEntry(String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        self.state = state
    }

    /// `SET=VARIANT`. A set's name may hold equals signs: the name that there is wins, else the last sign parts them.
    private static func choice(_ text: String, names: Set<String>) throws(DeckError) -> Choice {
        let signs = text.indices.filter { text[$0] == "=" }
        guard let last = signs.last else {
            throw DeckError("\"\(text)\" selects nothing; write SET=VARIANT", kind: .badOption)
        }
        let sign = signs.first { names.contains(String(text[..<$0])) } ?? last
        return Choice(set: String(text[..<sign]), variant: String(text[text.index(after: sign)...]))
    }

    /// `NAME`, or `NAME=TARGET,TARGET`. What follows the equals sign may also be the one name of a set, commas and all.
    private static func profile(_ text: String, names: Set<String>) throws(DeckError) -> AppliedProfile {
        guard let sign = text.firstIndex(of: "=") else { return AppliedProfile(name: text) }
        let name = String(text[..<sign])
        let rest = String(text[text.index(after: sign)...])
        let targets = names.contains(rest) ? [rest] : rest.split(separator: ",").map(String.init)
        guard !targets.isEmpty else {
            throw DeckError(
                "\"\(text)\" limits a profile to nothing; write \(name) for all sets, or \(name)=SET,ORIGIN",
                kind: .badOption
            )
        }
        for target in targets where !names.contains(target) && Origin(target) == nil {
            guard let url = AbsoluteURL(target) else { continue }
            throw DeckError(
                "a profile is limited to sets and origins, and an origin has no path: write \(name)=\(url.origin)",
                kind: .badOption
            )
        }
        return AppliedProfile(name: name, targets: targets)
    }

    /// Each profile with each of the sets and origins that it is limited to.
    var limits: [(profile: String, target: String)] {
        self.profiles.flatMap { profile in profile.targets.map { (profile.name, $0) } }
    }

    // MARK: Applying

    /// - Throws: ``DeckError`` when there is no such set, variant or profile.
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
