import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the contents of a cassette: response sets, variants, takes and sizes.",
        discussion: """
            A second argument limits it to the response set of that name or URL, else to those whose name or URL contains \
            it; `…` in it stands for any text, as in names that a table has cut.

            --outline makes `git diff` show cassettes by shape and value: set `textconv = tapedeck show --outline` for a \
            diff driver. It prints a file that is not a readable cassette unchanged.
            """
    )

    @Argument(help: "The cassette: a name, or a path.", completion: .cassettes)
    var cassette: String
    @Argument(
        help: ArgumentHelp("Only response sets with this name or URL, or with this text in it.", valueName: "filter"),
        completion: .sets
    )
    var filter: String?
    @Flag(help: "Print requests and answers with their bodies: JSON, XML, HTML, forms and others laid out to be read.")
    var bodies = false
    @Flag(help: "Print requests, and of each take the shape and then the values, one a line.")
    var outline = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard [self.outline, self.output.json, self.bodies].count(where: { $0 }) <= 1 else {
            throw ValidationError("--json, --outline and --bodies exclude each other")
        }
        guard !self.outline || self.filter == nil else {
            throw ValidationError("--outline shows a whole cassette: leave the filter out")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            if self.outline {
                Terminal.show(try CassetteOutline.text(of: self.cassette, folder: self.folder.folder))
                return
            }
            let table = try CassetteTable(self.cassette, filter: self.filter, folder: self.folder.folder)
            if self.bodies { return Terminal.show(table.bodies) }
            try self.output.print(table.contents, or: table.text(width: Terminal.width(of: .output)))
        }
    }
}
