import ArgumentParser
import TapedeckServer

/// The command line.
@main
struct Tapedeck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tapedeck",
        abstract: "Records HTTP exchanges into readable cassettes and plays them back without a network.",
        discussion: """
            Secrets are replaced by placeholders before anything is written. Settings for all cassettes of a project \
            stand in tapedeck.yaml.

            Exit codes: that of COMMAND, where one is given; 1 when `drift`, `diff`, `scan` or `prune --check` find \
            something; 70 when COMMAND succeeded but requests were unmatched, and when `explain` finds no answer; 64 \
            for a wrong option, 65 for a cassette or project file that cannot be used, 69 when the deck cannot start, \
            there is none to steer, or a live API gives no answer, 74 when a recording cannot be saved.
            """,
        version: Deck.version,
        subcommands: [
            Record.self, Append.self, Replay.self, Passthrough.self, Serve.self,
            Show.self, Check.self, Explain.self, Authority.self, Demo.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Staying true",
                subcommands: [Refresh.self, Drift.self, Diff.self, Suggest.self, Prune.self, Scan.self, Scrub.self]
            ),
            CommandGroup(
                name: "Steering",
                subcommands: [
                    SessionCommand.self, Sets.self, Select.self, ProfileCommand.self, StateCommand.self, Reset.self,
                    JournalCommand.self, ReportCommand.self, RecordingCommand.self,
                ]
            ),
        ]
    )

    static func main() {
        // Before any thread starts, so that every thread inherits it: signals are waited for, never interrupting.
        Signals.block()
        let parts = CommandLineParts.current
        guard parts.command.isEmpty || parts.runsCommand else {
            Terminal.note("only record, append, replay, passthrough and serve take a command behind --")
            self.exit(withError: ExitCode.validationFailure)
        }
        self.main(parts.arguments)
    }
}
