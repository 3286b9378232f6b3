import ArgumentParser
import TapedeckCassettes
import TapedeckControlClient
import TapedeckDeck

/// `tapedeck config`: the options in force and their sources.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract:
            "Show which options are in force and where each comes from: a flag, the environment, or tapedeck.yaml.",
        usage: "tapedeck config [--json] [--changed] [<command>] [<options of the command> ...]",
        discussion: """
            The command is record, append, replay, passthrough or serve, which is the default. It is not started. \
            Secrets are not shown, only that they are set.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Show only options that differ from the defaults.")
    var changed = false

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("A command that runs a deck, with its options.", valueName: "command")
    )
    var arguments: [String] = []

    func run() throws {
        try ExitStatus.reporting {
            let layers = try OptionLayers(try self.commandLine, environment: ProcessEnvironment.variables)
            for warning in layers.warnings { Terminal.note("warning: \(warning)") }
            try self.check(layers)
            let text = ConfigurationText(layers: layers, isShort: self.changed)
            Terminal.print(self.json ? try ControlJSON.text(text.document) : text.table)
        }
    }

    /// The command with its arguments.
    private var commandLine: [String] {
        get throws(DeckError) {
            guard let first = self.arguments.first, !first.hasPrefix("-") else { return ["serve"] + self.arguments }
            guard CommandSet.running.contains(first) else {
                let names = CommandSet.running.names.sorted()
                let hint = Suggestion.hint(first, among: names)
                throw DeckError(
                    "\(first) runs no deck\(hint.isEmpty ? "; name one of \(names.joined(separator: ", "))" : hint)",
                    kind: .badOption
                )
            }
            return self.arguments
        }
    }

    /// Lets the parser check the options. Most commands need a cassette for that, which is not given here.
    private func check(_ layers: OptionLayers) throws {
        let given = GivenArguments(layers.arguments.dropFirst(), DeckOption.options(of: layers.command))
        let needsCassette = given.positionals.isEmpty && ["record", "append", "replay"].contains(layers.command)
        do {
            _ = try layers.parse(with: needsCassette ? ["x"] : [])
        } catch let error as DeckError {
            throw error
        } catch {
            Terminal.note(TapedeckCommand.message(for: error))
            throw ExitStatus.badOption
        }
    }
}
