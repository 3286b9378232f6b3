import ArgumentParser
import TapedeckDeck

/// The name of a deck among several.
struct DeckNameOptions: ParsableArguments {
    @Option(DeckOption.deckName) var deckName: String?

    func validate() throws {
        if let name = self.deckName, !DeckConfiguration.isDeckName(name) {
            throw ValidationError("--deck-name takes 1 to 16 lower-case letters and digits, such as a")
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.deckName = self.deckName
    }
}

extension DeckOption {
    static let deckName = DeckOption("deck-name", value: "name", in: .running)
        .with(
            help: """
                A prefix for the ids of this deck's sessions, by which a load balancer finds the deck: a-z and 0-9, \
                at most 16.
                """
        )
}

extension DeckNameOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.deckName]
}
