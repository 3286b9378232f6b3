import ArgumentParser
import TapedeckDeck

/// The end of a deck.
struct StopOptions: ParsableArguments {
    @Option(DeckOption.grace) var grace: Int

    func validate() throws {
        guard (0...3_600).contains(self.grace) else { throw ValidationError("--grace takes seconds, from 0 to 3600") }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.grace = self.grace
    }
}

extension DeckOption {
    static let grace = DeckOption("grace", value: "seconds", in: .running)
        .with(
            help: """
                The time that a stop waits for requests in flight, from 0 to 3600; saving recordings may take the rest \
                of it and a few seconds more.
                """
        )
        .with(default: DeckConfiguration.Defaults.grace)
}

extension StopOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [DeckOption.grace.option]
}
