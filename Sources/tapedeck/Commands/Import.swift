import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckPlatform

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Convert files of other tools to cassettes, such as HAR files, VCR cassettes and WireMock stubs.",
        discussion: """
            Each file becomes a cassette of its name; the files of a folder keep their places. The format is \
            recognised by the content. Secrets are replaced by placeholders as in a recording. Exits with 1 if an \
            entry was left out; each is listed with its place and the reason. Requests without an answer, such as those \
            of Hurl and .http files, are sent to their origins with --ask.
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

    @Flag(help: "Send requests without an answer to their origins, and record the answers.")
    var ask = false

    @Option(help: ArgumentHelp("The environment of Bruno, Insomnia and .http files to use.", valueName: "name"))
    var environment: String?

    @Option(
        name: .customLong("variable"),
        help: ArgumentHelp("A value for a variable of requests; may be repeated.", valueName: "name=value")
    )
    var variables: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions
    @OptionGroup var scan: ScanOptions
    @OptionGroup var upstream: UpstreamOptions

    func run() throws {
        try ExitStatus.reporting {
            var options = CassetteImport.Options(paths: self.files)
            options.format = self.format
            options.out = self.out
            options.folder = self.folder.folder
            options.appends = self.append
            options.asks = self.ask
            options.environment = self.environment
            options.variables = try self.namedValues()
            var configuration = self.project.configuration
            self.scan.apply(to: &configuration)
            var result = try Progress.counting("importing") { [options, configuration] progress in
                try CassetteImport(options, configuration: configuration, now: Int(time(nil)), progress: progress)
            }
            if self.ask { result = try self.asking(result) }
            let report = result.report
            try self.output.print(report, or: report.lines.joined(separator: "\n"))
            if !report.isWhole { throw ExitStatus.found }
        }
    }

    private func namedValues() throws -> [String: String] {
        var values: [String: String] = [:]
        for text in self.variables {
            let name = text.prefix { $0 != "=" }
            guard !name.isEmpty, name.count < text.count else {
                throw DeckError("--variable is written as NAME=VALUE, not '\(text)'", kind: .badOption)
            }
            values[String(name)] = String(text.dropFirst(name.count + 1))
        }
        return values
    }

    private func asking(_ result: CassetteImport) throws -> CassetteImport {
        let log = Logger(label: "tapedeck") { TerminalLogHandler(label: $0, logLevel: .error) }
        let (project, scan, upstream) = (self.project, self.scan, self.upstream)
        return try Progress.counting("asking") { progress in
            try Blocking.run {
                var result = result
                try await result.ask(log: log, progress: progress) { configuration in
                    project.apply(to: &configuration)
                    scan.apply(to: &configuration)
                    upstream.apply(to: &configuration)
                }
                return result
            }
        }
    }
}
