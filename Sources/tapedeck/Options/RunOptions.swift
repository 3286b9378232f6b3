import ArgumentParser
import TapedeckDeck

/// The folder of cassettes.
struct FolderOptions: ParsableArguments {
    @Option(DeckOption.cassettes) var folder: String?
}

/// The options that most people need, first in the help.
struct UsualOptions: ParsableArguments {
    @Option(DeckOption.cassettes) var folder: String?
    @Flag(DeckOption.allowUnmatched) var allowUnmatched: Bool
    @Flag(DeckOption.allowUnused) var allowUnused: Bool
}

/// The check of a recording by replays.
struct VerifyOptions: ParsableArguments {
    @Flag(DeckOption.verify) var verifies: Bool
    @Option(DeckOption.verifyIn) var folder: String?
}

/// The options that all modes share.
struct RunOptions {
    let listening: ListeningOptions
    let transparent: TransparentOptions
    let deckName: DeckNameOptions
    let browser: BrowserOptions
    let isolation: IsolationOptions
    let project: ProjectOptions
    let log: LogOptions
    let stop: StopOptions
    let limits: LimitOptions

    /// The command to run through the deck.
    var command: [String] { CommandLineParts.current.command }
}

extension DeckOption {
    static let cassettes = DeckOption("cassettes", value: "dir", default: "cassettes", in: .reading, isPath: true)
        .with(help: "The folder of cassettes named by a bare name.")

    static let authorityFolder = DeckOption(
        "ca-dir",
        kind: .variable,
        default: "tapedeck in XDG_DATA_HOME or ~/.local/share",
        in: .running,
        place: .nowhere
    )
    .with(help: "The folder of the certificate authority.")

    static let verify = DeckOption("verify", kind: .flag, in: CommandSet(["record", "replay"]), place: .nowhere)
        .with(
            help: """
                When the command has succeeded, replay it offline and without its secrets, and again in another time zone, \
                temporary folder and day.
                """
        )

    static let verifyIn = DeckOption(
        "verify-in",
        value: "dir",
        in: CommandSet(["record", "replay"]),
        place: .nowhere,
        isPath: true
    )
    .with(help: "With --verify: another working folder for the last replay.")

    static let allowUnmatched = DeckOption("allow-unmatched", kind: .flag, in: .running)
        .with(help: "Do not fail when a command succeeded although requests were unmatched.")

    static let allowUnused = DeckOption("allow-unused", kind: .flag, in: .running)
        .with(
            help: "Do not fail when a command succeeded although no request came to a replay, or nothing was recorded."
        )
}

extension UsualOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        .cassettes, .authorityFolder, .allowUnmatched, .allowUnused, .verify, .verifyIn,
    ]
}
