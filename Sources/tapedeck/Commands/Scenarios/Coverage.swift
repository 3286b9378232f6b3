import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Coverage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "List the response sets and variants that no run played.",
        usage: "tapedeck coverage [<options>] [<cassette> ...] --report <file> ...",
        discussion: """
            Reads the reports that `replay`, `append` and `serve` write with --report; several are added up. Prints the \
            variants of each response set that were played, with the number of answers, and those that were not. Exits \
            with 0; with --check, with 1 if a variant was not played.
            """
    )

    @Argument(help: "The cassettes: names or paths (default: all that the reports name).", completion: .cassettes)
    var cassettes: [String] = []

    @Option(
        name: .customLong("report"),
        parsing: .upToNextOption,
        help: ArgumentHelp("The reports of runs: files, or folders of them; may be repeated.", valueName: "file")
    )
    var reports: [String] = []

    @Flag(help: "Exit with 1 if a variant was not played.")
    var check = false

    @Flag(help: "Print a table in Markdown.")
    var markdown = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard !self.reports.isEmpty else {
            throw ValidationError(
                "give the reports of runs with --report; `tapedeck replay CASSETTE --report FILE -- COMMAND` writes one"
            )
        }
        guard !self.output.json || !self.markdown else {
            throw ValidationError("--json and --markdown exclude each other")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            let report = try CoverageReport(
                self.cassettes.map { CassetteFolder.location($0, folder: self.folder.folder) },
                reports: self.reports
            )
            if self.markdown {
                Terminal.show(report.markdown)
            } else {
                try self.output.print(report, table: report.rows)
            }
            for note in report.notes { Terminal.note(note) }
            Terminal.note("coverage: \(report.summary)")
            if self.check, !report.isComplete { throw ExitStatus.found }
        }
    }
}
