extension DeckOption {
    /// Every option of the commands that run a deck. Tests compare it with the commands' help and with
    /// docs/configuration.md.
    static let table: [DeckOption] =
        ListeningOptions.declarations + TransparentOptions.declarations + DeckNameOptions.declarations
        + BrowserOptions.declarations
        + LimitOptions.declarations + StopOptions.declarations
        + UsualOptions.declarations + ProjectOptions.declarations
        + PlayOptions.declarations
        + RecordingOptions.declarations + ScanOptions.declarations
        + UpstreamOptions.declarations + TargetOptions.declarations
        + LogOptions.declarations

    /// The options of a command, in the order of the table.
    static func options(of command: String) -> [DeckOption] {
        self.table.filter { $0.commands.contains(command) }
    }
}
