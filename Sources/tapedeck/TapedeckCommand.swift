import ArgumentParser
import CTapedeckArguments
import CTapedeckIsolation
import Logging
import TapedeckCassettes
import TapedeckDeck

/// The command line.
@main
struct TapedeckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tapedeck",
        abstract: "Records HTTP exchanges into readable cassettes and plays them back without a network.",
        discussion: """
            Secrets are replaced by placeholders before anything is written. Settings for all cassettes of a project \
            are in tapedeck.yaml. Options of the commands that run a deck can also be set there, under `deck:`, and in \
            the environment, as TAPEDECK_PORT for --port; `tapedeck config` shows the options in force.

            Exit codes: that of COMMAND, if given; 1 if `drift`, `diff`, `scan` or `prune --check` find something, if \
            `import` or `export` leave something out, if `pull` or `push` skip a cassette, and if `health` finds no \
            deck that accepts requests; 70 if COMMAND succeeded but requests were unmatched, no request came, or \
            nothing was recorded, and if `explain` finds no answer; 64 for a wrong option, 65 for a cassette or \
            project file that cannot be used, 69 if the deck cannot start, if there is no deck to control, or if a \
            live API gives no answer, 74 if a recording cannot be saved.

            `tapedeck help PAGE` prints a page of the documentation, and `tapedeck help pages` lists them.
            """,
        version: Deck.version,
        subcommands: Self.running + [
            Show.self, Check.self, Schema.self, Explain.self, Authority.self, ConfigCommand.self, Health.self,
            Doctor.self,
            Demo.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Staying true",
                subcommands: [
                    Refresh.self, Drift.self, Diff.self, Suggest.self, Ignore.self, Prune.self, Scan.self, Scrub.self,
                ]
            ),
            CommandGroup(name: "Scenarios", subcommands: [Matrix.self, Coverage.self]),
            CommandGroup(
                name: "Editing",
                subcommands: [
                    SetCommand.self, VariantCommand.self, TakeCommand.self, Merge.self, Split.self, Edit.self,
                ]
            ),
            CommandGroup(name: "Sharing", subcommands: [Import.self, Export.self, Pull.self, Push.self]),
            CommandGroup(
                name: "Control",
                subcommands: [
                    SessionCommand.self, Sets.self, Select.self, ProfileCommand.self, StateCommand.self, Reset.self,
                    JournalCommand.self, ReportCommand.self, RecordingCommand.self,
                ]
            ),
        ]
    )

    /// The commands that run a deck, as ``CommandSet/running`` names them.
    static let running: [any ParsableCommand.Type] = [
        Record.self, Append.self, Replay.self, Passthrough.self, Serve.self,
    ]

    /// The command, with what the environment and the project file say of its options.
    private static func command(_ layers: Result<OptionLayers, DeckError>) throws -> any ParsableCommand {
        var command: (any ParsableCommand)?
        try ExitStatus.reporting {
            let layers = try layers.get()
            if CommandSet.running.contains(layers.command) {
                for warning in layers.warnings { Terminal.note("warning: \(warning)", .warning, message: warning) }
            }
            command = try layers.parse()
        }
        guard let command else { throw ExitStatus.badOption }
        return command
    }

    static func main() {
        // Before any thread starts: a process with several cannot have a user namespace of its own.
        if ProgramArguments.all.dropFirst().first == TAPEDECK_ISOLATION_ARGUMENT, let arguments = tapedeck_arguments() {
            tapedeck_become_isolated(tapedeck_argument_count(), arguments)
        }
        // The parser would examine all commands first.
        if ProgramArguments.all.dropFirst() == ["--version"] {
            Terminal.print(Deck.version)
            return
        }
        // A shell asks for completions, with the words of its line behind `--`.
        if ProgramArguments.all.dropFirst().first == "---completion" {
            return self.main(Array(ProgramArguments.all.dropFirst()))
        }
        let parts = CommandLineParts.current
        // Before any thread starts, so that every thread inherits it: signals are waited for, never interrupting.
        if parts.waitsForSignals { Signals.block() }
        let layers = RunningOptions.layers
        let format = RunningOptions.logFormat
        Terminal.use(format)
        if let page = HelpPages.text(parts.arguments) {
            Terminal.print(page)
            return
        }
        if let mistake = CommandLineMistakes(ProgramArguments.all).message {
            Terminal.note(mistake, .error)
            self.exit(withError: ExitCode.validationFailure)
        }
        guard parts.command.isEmpty || parts.runsCommand else {
            Terminal.note("only record, append, replay, passthrough, serve and matrix take a command behind --", .error)
            self.exit(withError: ExitCode.validationFailure)
        }
        if let help = CommandHelp(parts.arguments) {
            Terminal.print(help.text)
            return
        }
        guard let layers else { return self.main(parts.arguments) }
        do {
            var command = try self.command(layers)
            try command.run()
        } catch let code as ExitCode {
            ExitStatus.end(with: code)
        } catch {
            guard format == .json else { self.exit(withError: error) }
            self.exitInJSON(error)
        }
    }

    /// Ends as the argument parser would, but that what it would say of a mistake is a line of the log.
    private static func exitInJSON(_ error: any Error) -> Never {
        let code = self.exitCode(for: error)
        let message = self.message(for: error)
        guard !code.isSuccess, !message.isEmpty else { self.exit(withError: error) }
        Terminal.note(message, .error)
        self.exit(withError: code)
    }
}
