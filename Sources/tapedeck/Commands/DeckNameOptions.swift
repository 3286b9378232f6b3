import ArgumentParser
import TapedeckServer

/// What a deck is called among others.
struct DeckNameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the ids of this deck's sessions begin with, so that a load balancer finds it: a-z and 0-9, at most 16.",
            valueName: "name"
        )
    )
    var deckName: String?

    func validate() throws {
        if let name = self.deckName, !DeckConfiguration.isDeckName(name) {
            throw ValidationError("--deck-name takes 1 to 16 lower-case letters and digits, such as a")
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.deckName = self.deckName
    }
}
