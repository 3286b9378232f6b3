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

/// The options that most people need, first in the help.
struct UsualOptions: ParsableArguments {
    @OptionGroup var folder: FolderOptions

    @Flag(help: "Do not fail when a command succeeded although requests were unmatched.")
    var allowUnmatched = false

    @Flag(help: "Do not fail when a command succeeded although no request came to a replay, or nothing was recorded.")
    var allowUnused = false
}

/// The options that all modes share.
struct RunOptions: ParsableArguments {
    @OptionGroup(title: "Listening and sessions") var listening: ListeningOptions
    @OptionGroup(title: "Listening and sessions") var transparent: TransparentOptions
    @OptionGroup(title: "Listening and sessions") var deckName: DeckNameOptions
    @OptionGroup(title: "Listening and sessions") var browser: BrowserOptions

    @OptionGroup(title: "Project file") var project: ProjectOptions

    @OptionGroup(title: "Log and stop") var log: LogOptions
    @OptionGroup(title: "Log and stop") var stop: StopOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions

    /// The command to run through the deck.
    var command: [String] { CommandLineParts.current.command }
}
