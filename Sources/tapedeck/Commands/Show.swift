import ArgumentParser
import TapedeckDeck

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is on a cassette: response sets, variants, takes and sizes."
    )

    @Argument(help: "The cassette: a name, or a path.")
    var cassette: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func run() throws {
        try ExitStatus.reporting {
            let table = try CassetteTable(self.cassette, folder: self.folder.folder)
            try self.output.print(table.contents, or: table.text(width: Terminal.width(of: .output)))
        }
    }
}
