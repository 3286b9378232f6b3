import ArgumentParser
import TapedeckServer

/// The folder of cassettes.
struct FolderOptions: ParsableArguments {
    @Option(DeckOption.cassettes) var folder: String?
}

/// The options that most people need, first in the help.
struct UsualOptions: ParsableArguments {
    @OptionGroup var folder: FolderOptions

    @Flag(DeckOption.allowUnmatched) var allowUnmatched: Bool
    @Flag(DeckOption.allowUnused) var allowUnused: Bool
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

extension DeckOption {
    static let cassettes = DeckOption(
        "cassettes",
        "The folder of cassettes named by a bare name.",
        value: "dir",
        default: "cassettes",
        in: .reading,
        isPath: true
    )

    static let authorityFolder = DeckOption(
        "ca-dir",
        "The folder of the certificate authority.",
        kind: .variable,
        default: "tapedeck in XDG_DATA_HOME or ~/.local/share",
        in: .running,
        place: .nowhere
    )

    static let allowUnmatched = DeckOption(
        "allow-unmatched",
        "Do not fail when a command succeeded although requests were unmatched.",
        kind: .flag,
        in: .running
    )

    static let allowUnused = DeckOption(
        "allow-unused",
        "Do not fail when a command succeeded although no request came to a replay, or nothing was recorded.",
        kind: .flag,
        in: .running
    )
}

extension UsualOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.cassettes, .authorityFolder, .allowUnmatched, .allowUnused]
}
