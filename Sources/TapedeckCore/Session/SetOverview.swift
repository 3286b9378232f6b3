/// A response set as a session sees it: what it can play, and what it does.
package struct SetOverview: Sendable {
    package var set: ResponseSet
    package var cassette: String
    /// True if it was added to the session.
    package var isAdded: Bool
    /// The variant that was selected for the set itself; `nil` if none was.
    package var selected: String?
    /// The variant that plays.
    package var playing: String
    /// The variants that wrap it, such as `slow`.
    package var wrappers: [String]
    /// The number of requests for it.
    package var asked: Int
}

extension SessionState {
    /// The response sets in their order, those that were added first.
    ///
    /// - Parameters:
    ///   - text: only sets with this in their name, their URL or the name of a variant, without regard to case.
    ///   - range: which of those, by number.
    /// - Returns: them, and how many there are in all.
    package mutating func overviews(containing text: String, in range: Range<Int>) -> (sets: [SetOverview], total: Int)
    {
        let text = ASCII.lowercased(text)
        var found: [SetOverview] = []
        var total = 0
        for (layer, tape) in self.tapes.layers {
            for (number, entry) in tape.entries.enumerated() where text.isEmpty || entry.set.contains(text) {
                if range.contains(total) { found.append(self.overview(of: number, layer, tape)) }
                total += 1
            }
        }
        return (found, total)
    }

    private func overview(of number: Int, _ layer: TapeStack.Layer, _ tape: Tape) -> SetOverview {
        let set = tape.entries[number].set
        let effective = tape.effectiveVariant(of: number, self.selection)
        let playing =
            switch effective.base {
            case .variant(let variant): set.variants[variant].name
            case .builtIn(let builtIn): builtIn.rawValue
            }
        return SetOverview(
            set: set,
            cassette: tape.cassettes[tape.entries[number].cassette].name,
            isAdded: layer == .added,
            selected: self.selection.variants[set.name],
            playing: playing,
            wrappers: effective.wrappers.map(\.rawValue),
            asked: self.hits[layer][number]
        )
    }
}

extension ResponseSet {
    fileprivate func contains(_ text: String) -> Bool {
        let texts = [self.name, self.request.summary] + self.variants.map(\.name)
        return texts.contains { ASCII.lowercased($0).contains(text) }
    }
}
