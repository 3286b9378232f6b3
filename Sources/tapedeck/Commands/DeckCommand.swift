import ArgumentParser

/// A command that starts a deck.
protocol DeckCommand: ParsableCommand {
    /// The deck as the command line has it.
    ///
    /// - Throws: `DeckError` for what is written wrong.
    func deck() throws -> RunDeck
}

extension DeckCommand {
    /// Where else options may be given, for the help.
    static var layers: String {
        """
        Each option may also be given in the environment, as TAPEDECK_PORT for --port, and in tapedeck.yaml. `tapedeck config` \
        shows what is in force.
        """
    }

    func run() throws {
        try self.deck().run()
    }
}
