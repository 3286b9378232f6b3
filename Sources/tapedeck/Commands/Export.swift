import ArgumentParser
import TapedeckControlAPI
import TapedeckDeck

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a cassette as a file of another tool: HAR, WireMock, VCR, vcrpy, or a curl script.",
        discussion: """
            Writes the answers that play by default. Secrets stay placeholders, unless --with-made-up-values is given. \
            Exits with 1 if the other format cannot express something; each case is listed with the reason.
            """
    )

    @Argument(help: "The cassette: a name, or a path.", completion: .cassettes)
    var cassette: String

    @Option(help: ArgumentHelp("The format: har, wiremock, vcr (Ruby), vcrpy or curl.", valueName: "format"))
    var format = "har"

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: ArgumentHelp("The file (default: standard output).", valueName: "file")
    )
    var out: String?

    @Flag(help: "Write generated values in place of secret placeholders, as a deck plays them.")
    var withMadeUpValues = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard !self.output.json || self.out != nil else {
            throw ValidationError("--json prints the report, so name the file with --out")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            let export = try Progress.during("converting") {
                try CassetteExport(
                    self.cassette,
                    format: self.format,
                    folder: self.folder.folder,
                    madeUpValues: self.withMadeUpValues
                )
            }
            if let out = self.out {
                try export.write(to: out)
            } else {
                Terminal.print(String(decoding: export.bytes, as: UTF8.self).trimmingLastLineEnd)
            }
            if self.output.json {
                try self.output.print(export.report, or: "")
            } else {
                for line in export.report.lines { Terminal.note(line) }
            }
            if !export.report.leftOut.isEmpty { throw ExitStatus.found }
        }
    }
}

extension String {
    fileprivate var trimmingLastLineEnd: String { self.hasSuffix("\n") ? String(self.dropLast()) : self }
}
