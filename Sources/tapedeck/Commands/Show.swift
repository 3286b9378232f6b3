import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the contents of a cassette: response sets, variants, takes and sizes.",
        discussion: """
            --outline makes `git diff` show cassettes by shape and value: set `textconv = tapedeck show --outline` for a \
            diff driver. It prints a file that is not a readable cassette unchanged.
            """
    )

    @Argument(help: "The cassette: a name, or a path.")
    var cassette: String
    @Flag(help: "Print requests, and of each take the shape and then the values, one a line.")
    var outline = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard !self.outline || !self.output.json else {
            throw ValidationError("--json and --outline exclude each other")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            if self.outline {
                Terminal.print(try CassetteOutline.text(of: self.cassette, folder: self.folder.folder))
                return
            }
            let table = try CassetteTable(self.cassette, folder: self.folder.folder)
            try self.output.print(table.contents, or: table.text(width: Terminal.width(of: .output)))
        }
    }
}
