import ArgumentParser
import TapedeckDeck
import TapedeckPlatform

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Convert files of other tools to cassettes, such as HAR files, VCR cassettes and WireMock stubs.",
        discussion: """
            Each file becomes a cassette of its name; the files of a folder keep their places. The format is \
            recognised by the content. Secrets are replaced by placeholders as in a recording. Exits with 1 if an \
            entry was left out; each is listed with its place and the reason.
            """
    )

    @Argument(help: "Files, and folders of files.")
    var files: [String]

    @Option(help: ArgumentHelp("The format (default: recognised by the content).", valueName: "format"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "The folder for the cassettes, or one .yaml file for all (default: the folder of cassettes).",
            valueName: "path"
        )
    )
    var out: String?

    @Flag(help: "Add to cassettes that exist.")
    var append = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions
    @OptionGroup var scan: ScanOptions

    func run() throws {
        try ExitStatus.reporting {
            var options = CassetteImport.Options(paths: self.files)
            options.format = self.format
            options.out = self.out
            options.folder = self.folder.folder
            options.appends = self.append
            var configuration = self.project.configuration
            self.scan.apply(to: &configuration)
            let report = try Progress.counting("importing") { [options, configuration] progress in
                try CassetteImport(options, configuration: configuration, now: Int(time(nil)), progress: progress)
                    .report
            }
            try self.output.print(report, or: report.lines.joined(separator: "\n"))
            if !report.isWhole { throw ExitStatus.found }
        }
    }
}
