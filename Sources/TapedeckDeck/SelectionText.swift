package import TapedeckCassettes
import TapedeckCore

/// Parses selections of the command line. Names may contain equals signs and commas, so the existing names decide where
/// a text is split.
package enum SelectionText {
    /// Returns true if the names of sets decide where `SET=VARIANT` is split.
    package static func isAmbiguous(choice text: String) -> Bool {
        text.count { $0 == "=" } > 1
    }

    /// `SET=VARIANT`: the first name that there is wins, else the last sign parts them.
    ///
    /// - Parameter sets: the names of the sets.
    package static func choice(_ text: String, sets: Set<String>) throws(DeckError) -> (set: String, variant: String) {
        let signs = text.indices.filter { text[$0] == "=" }
        guard let last = signs.last else {
            throw DeckError("\"\(text)\" selects nothing; write SET=VARIANT", kind: .badOption)
        }
        let sign = signs.first { sets.contains(String(text[..<$0])) } ?? last
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    /// Parses `NAME`, or `NAME=TARGET,TARGET`. The text after the equals sign may also be one name of a set that
    /// contains commas.
    ///
    /// - Parameters:
    ///   - sets: the names of the sets.
    ///   - profiles: the names of the profiles.
    /// - Returns: the profile, and the sets and origins that it is limited to; empty means all.
    package static func profile(
        _ text: String,
        sets: Set<String>,
        profiles: Set<String>
    ) throws(DeckError) -> (name: String, targets: [String]) {
        guard !profiles.contains(text), let sign = text.firstIndex(of: "=") else { return (text, []) }
        let name = String(text[..<sign])
        let rest = String(text[text.index(after: sign)...])
        let targets = sets.contains(rest) ? [rest] : rest.split(separator: ",").map(String.init)
        guard !targets.isEmpty else {
            throw DeckError(
                "\"\(text)\" limits a profile to nothing; write \(name) for all sets, or \(name)=SET,ORIGIN",
                kind: .badOption
            )
        }
        for target in targets where !sets.contains(target) && Origin(target) == nil {
            guard let url = AbsoluteURL(target) else { continue }
            throw DeckError(
                "a profile is limited to sets and origins, and an origin has no path: write \(name)=\(url.origin)",
                kind: .badOption
            )
        }
        return (name, targets)
    }

    /// `KEY=VALUE`.
    package static func state(_ text: String) throws(DeckError) -> (key: String, value: String) {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw DeckError("\"\(text)\" sets no state; write KEY=VALUE", kind: .badOption)
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
}
