import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance
import TapedeckPlatform

struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove response sets and body files that no run used.",
        usage: "tapedeck prune [<options>] [<cassette> ...] --report <file> ...",
        discussion: """
            Reads the reports of full runs, which `replay`, `append` and `serve` write with --report; several are \
            added up. Shows what it would remove, and asks; without a terminal, it removes only with --yes. It keeps \
            sets that a person wrote, and sets that a profile names.
            """
    )

    @Argument(help: "The cassettes: names or paths (default: all that the reports tell of).", completion: .cassettes)
    var cassettes: [String] = []

    @Option(
        name: .customLong("report"),
        parsing: .upToNextOption,
        help: ArgumentHelp("The reports of full runs: files, or folders of them; may be repeated.", valueName: "file")
    )
    var reports: [String] = []

    @Flag(help: "Remove without asking.")
    var yes = false

    @Flag(help: "Remove nothing; exit with 1 if there is something to remove.")
    var check = false

    @Flag(help: "Accept reports of failed and incomplete runs, too.")
    var force = false

    @Flag(help: "Remove response sets that a person wrote or added to, too.")
    var handWritten = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    /// The JSON that `--json` prints.
    private struct Plan: Encodable {
        let cassettes: [CassettePruning.Summary]
    }

    func validate() throws {
        guard !self.reports.isEmpty else {
            throw ValidationError(
                "give the reports of full runs with --report; `tapedeck replay CASSETTE --report FILE -- COMMAND` writes one"
            )
        }
        guard !self.yes || !self.check else { throw ValidationError("--yes and --check exclude each other") }
    }

    func run() throws {
        try ExitStatus.reporting {
            let plan = try Progress.counting("comparing") { progress in
                try PrunePlan(
                    self.cassettes.map { CassetteFolder.location($0, folder: self.folder.folder) },
                    reports: self.reports,
                    force: self.force,
                    takesHandWritten: self.handWritten,
                    progress: progress
                )
            }
            try self.output.print(Plan(cassettes: plan.summaries), or: plan.lines.joined(separator: "\n"))
            guard !plan.isEmpty else { return }
            if self.check { throw ExitStatus.found }
            guard self.yes || Confirmation.canAsk else {
                Terminal.note("nothing is removed without --yes")
                return
            }
            guard self.yes || Confirmation.ask("remove these?") else {
                Terminal.note("nothing is removed")
                return
            }
            try plan.carryOut()
            Terminal.note("removed")
        }
    }
}

/// Asks the person at the terminal.
enum Confirmation {
    /// True if the terminal is interactive.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Returns `true` for `y` or `yes`, and `false` for anything else and at the end of the input.
    static func ask(_ question: String) -> Bool {
        Terminal.note("\(question) [y/N]")
        return ["y", "yes"].contains(Terminal.readAnswer()?.lowercased())
    }
}
