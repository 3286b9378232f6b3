import ArgumentParser
import TapedeckServer

/// What is selected on the tape.
struct SelectionOptions: ParsableArguments {
    @Option(
        name: .customLong("select"),
        help: ArgumentHelp("Play this variant of a response set; may be repeated.", valueName: "set=variant")
    )
    var selections: [String] = []

    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "Apply a profile, for all or for the sets and origins named (name=target,target); may be repeated.",
            valueName: "name"
        )
    )
    var profiles: [String] = []

    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("Begin with this in the session's state; may be repeated.", valueName: "key=value")
    )
    var state: [String] = []

    func apply(to configuration: inout DeckConfiguration) {
        configuration.selections = self.selections
        configuration.profiles = self.profiles
        configuration.state = self.state
    }
}

/// What `--streams` does, wherever it stands.
enum StreamsHelp {
    static let text = ArgumentHelp(
        """
        How event streams and other slow bodies go out: instant (all at once), recorded (piece by piece as they came), or \
        a multiple of that time such as 0.5x (default: as the cassette says, else instant).
        """,
        valueName: "pace"
    )
}

/// The options for modes that play.
struct PlayOptions: ParsableArguments {
    @OptionGroup var selection: SelectionOptions

    @Option(
        help: ArgumentHelp("What random choices follow from (default: another one each time).", valueName: "number")
    )
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Wait before each answer of a cassette that says nothing of a delay: ms, s, m or h, such as 200ms; up to 1h.",
            valueName: "time"
        )
    )
    var delay: String?

    @Option(help: StreamsHelp.text)
    var streams: String?

    @Option(
        help: ArgumentHelp(
            """
            What happens to requests that nothing on tape answers: fail (501), respond=STATUS, and with `append` also \
            passthrough or record.
            """,
            valueName: "policy"
        )
    )
    var unmatched: String?

    @Option(
        help: ArgumentHelp(
            """
            At the end, write down here how often each response set was asked for: `tapedeck prune` reads it (default: \
            TAPEDECK_REPORT, with the number of the process in the name).
            """,
            valueName: "file"
        )
    )
    var report: String?

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
