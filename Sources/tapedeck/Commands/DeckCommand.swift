import ArgumentParser

/// A command that starts a deck.
///
/// Each has the groups of ``RunOptions`` as its own. In one group with groups in it they would make each start of a debug build
/// 0.1 s longer: there ArgumentParser checks a group five times, and for each of these the groups in it.
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
