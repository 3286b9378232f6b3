import ArgumentParser

/// A command that starts a deck.
protocol DeckCommand: ParsableCommand {
    /// The deck as the command line has it.
    ///
    /// - Throws: `DeckError` for what is written wrong.
    func deck() throws -> RunDeck
}

extension DeckCommand {
    func run() throws {
        try self.deck().run()
    }
}
