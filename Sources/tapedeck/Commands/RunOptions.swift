import ArgumentParser
import TapedeckServer

/// Where cassettes are looked up.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .customLong("cassettes"),
        help: ArgumentHelp(
            "The folder of cassettes named by a bare name (default: TAPEDECK_CASSETTES, else cassettes).",
            valueName: "dir"
        )
    )
    var folder: String?
}

/// The options that all modes share.
struct RunOptions: ParsableArguments {
    @OptionGroup var folder: FolderOptions
    @OptionGroup(title: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(title: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(title: "Listening and sessions") var deckName: DeckNameOptions

    @OptionGroup var project: ProjectOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Flag(help: "Do not fail when a command succeeded although requests were unmatched.")
    var allowUnmatched = false

    @OptionGroup(title: "Log and stop") var stop: StopOptions
    @OptionGroup(title: "Log and stop") var log: LogOptions

    /// The command to run through the deck.
    var command: [String] { CommandLineParts.current.command }
}
