import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

/// The variants, profiles and state of the tape at the start.
struct SelectionOptions: ParsableArguments {
    @Option(DeckOption.select, completion: .selections) var selections: [String]
    @Option(DeckOption.profile, completion: .profiles) var profiles: [String]
    @Option(DeckOption.state) var state: [String]

    func apply(to configuration: inout DeckConfiguration) {
        configuration.selections = self.selections
        configuration.profiles = self.profiles
        configuration.state = self.state
    }
}

/// The options for modes that play.
struct PlayOptions: ParsableArguments {
    @OptionGroup(section: "") var selection: SelectionOptions

    @Option(DeckOption.seed) var seed: UInt64?
    @Option(DeckOption.delay) var delay: String?
    @Option(DeckOption.streams) var streams: String?
    @Option(DeckOption.unmatched) var unmatched: String?
    @Option(DeckOption.report) var report: String?

    func apply(to configuration: inout DeckConfiguration) {
        self.selection.apply(to: &configuration)
        configuration.unmatched = self.unmatched
        configuration.seed = self.seed
        configuration.delay = self.delay
        configuration.streams = self.streams
        configuration.reportFile = self.report ?? RunReport.fileOfThisProcess
        configuration.talliesUsage = configuration.reportFile != nil
    }
}

extension DeckOption {
    static let select = DeckOption(
        "select",
        kind: .repeated(.lines),
        value: "set=variant",
        in: .playing,
        isForDefaultSession: true
    )
    .with(help: "Play this variant of a response set; may be repeated.")

    static let profile = DeckOption(
        "profile",
        kind: .repeated(.lines),
        value: "name",
        in: .playing,
        isForDefaultSession: true
    )
    .with(
        help: "Apply a profile, to everything or to the sets and origins named (name=target,target); may be repeated."
    )

    static let state = DeckOption(
        "state",
        kind: .repeated(.lines),
        value: "key=value",
        in: .playing,
        isForDefaultSession: true
    )
    .with(help: "Set an initial entry of the session's state; may be repeated.")

    static let seed = DeckOption(
        "seed",
        value: "number",
        default: "a new one each time",
        in: .playing,
        isForDefaultSession: true
    )
    .with(help: "The seed of random choices.")

    static let delay = DeckOption("delay", value: "time", in: .playing)
        .with(
            help: """
                Wait before each answer of a cassette that has no delay of its own: ms, s, m or h, such as 200ms; at \
                most 1h.
                """
        )

    static let streams = DeckOption(
        "streams",
        value: "pace",
        default: "as the cassette says, else instant",
        in: .playing,
        place: .section("streams", addsUp: false)
    )
    .with(
        help: """
            When event streams and other slow bodies are sent: instant (all at once), recorded (piece by piece \
            as they came), or a multiple of that time such as 0.5x.
            """
    )

    static let unmatched = DeckOption(
        "unmatched",
        value: "policy",
        default: "fail; record with append",
        in: .playing,
        isForDefaultSession: true
    )
    .with(
        help: """
            The answer to requests that nothing on tape answers: fail (501), respond=STATUS, and with `append` also \
            passthrough or record.
            """
    )

    static let report = DeckOption("report", value: "file", in: .playing, isPath: true, hasVariableOfItsOwn: true)
        .with(
            help: """
                At the end, write to this file how often each response set and variant played, for `tapedeck coverage` and `prune`. \
                TAPEDECK_REPORT adds the number of the process to the name.
                """
        )

    static let allowPassthrough = DeckOption("allow-passthrough", kind: .flag, in: CommandSet(["replay", "serve"]))
        .with(help: "Let variants with `passthrough: true` contact the live API.")

    static let exact = DeckOption("exact", kind: .flag, in: CommandSet(["replay", "serve"]))
        .with(help: "Answer no request with another UUID, random name, time or folder than the recorded one.")

    static let fast = DeckOption("fast", kind: .flag, in: CommandSet(["replay", "serve"]))
        .with(
            help: "Shorten polls to the first answer and the last, and let no client wait for Retry-After."
        )

    static let learn = DeckOption("learn", kind: .flag, in: CommandSet(["replay", "serve"]))
        .with(
            help: """
                Answer requests that differ from recorded ones of the same program, and note in the cassette what varies.
                """
        )

    static let clock = DeckOption("clock", value: "time", default: "now", in: CommandSet(["replay"]))
        .with(
            help: """
                `recorded`: the command's clock begins at the time of the recording, by libfaketime, and TAPEDECK_TIME has \
                the time. Programs that do not ask the C library, such as Go's, keep the time of the machine.
                """
        )

    static let noPreflights = DeckOption("no-preflights", kind: .flag, in: CommandSet(["replay", "serve"]))
        .with(
            help: """
                Do not answer CORS preflights that are not on tape by what the tape has for their requests.
                """
        )
}

extension PlayOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        .select, .profile, .state, .seed, .delay, .streams, .unmatched, .report, .allowPassthrough, .exact, .learn,
        .fast,
        .clock, .noPreflights,
    ]
}
