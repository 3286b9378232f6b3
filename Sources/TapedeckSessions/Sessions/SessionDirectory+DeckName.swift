import TapedeckCore

/// Names of decks: behind a load balancer the id of a session tells which deck has it.
extension SessionDirectory {
    /// The deck that a session's id names, if it is not this one.
    package struct ForeignDeck: Sendable, Equatable, CustomStringConvertible {
        /// The name that the id begins with.
        package var name: String
        /// This deck's.
        package var own: String

        package var description: String {
            "the id belongs to the deck \(self.name), and this is the deck \(self.own); have the load balancer lead the "
                + "session to its own deck, or make another one"
        }
    }

    /// Returns true if `text` can name a deck: 1 to 16 lower-case letters and digits.
    package static func isDeckName(_ text: some StringProtocol) -> Bool {
        (1...16).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// The deck that an id names in front, where this deck has a name, and another one.
    package func foreignDeck(of id: String) -> ForeignDeck? {
        guard let own = self.configuration.deckName, let hyphen = id.firstIndex(of: "-") else { return nil }
        let name = id[..<hyphen]
        guard name != own, Self.isDeckName(name), id.index(after: hyphen) < id.endIndex else { return nil }
        return ForeignDeck(name: String(name), own: own)
    }
}
