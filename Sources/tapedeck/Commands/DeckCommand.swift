import ArgumentParser

/// A command that starts a deck.
protocol DeckCommand: ParsableCommand {
    var listening: ListeningOptions { get }
    var transparent: TransparentOptions { get }
    var deckName: DeckNameOptions { get }
    var browser: BrowserOptions { get }
    var isolation: IsolationOptions { get }
    var project: ProjectOptions { get }
    var log: LogOptions { get }
    var stop: StopOptions { get }
    var limits: LimitOptions { get }

    /// The deck of the command line.
    ///
    /// - Throws: `DeckError` for a mistake in it.
    func deck() throws -> RunDeck
}

extension DeckCommand {
    var options: RunOptions {
        RunOptions(
            listening: self.listening,
            transparent: self.transparent,
            deckName: self.deckName,
            browser: self.browser,
            isolation: self.isolation,
            project: self.project,
            log: self.log,
            stop: self.stop,
            limits: self.limits
        )
    }

    /// The other places for options, for the help.
    static var layers: String {
        """
        Each option can also be set in the environment, as TAPEDECK_PORT for --port, and in tapedeck.yaml. `tapedeck \
        config` shows the options in force.
        """
    }

    func run() throws {
        try self.deck().run()
    }
}
