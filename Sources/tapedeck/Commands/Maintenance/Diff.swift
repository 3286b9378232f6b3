import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare two cassettes by what they play, response set by response set.",
        discussion: """
            Response sets are found again by what they ask for, else by their names. When something was recorded, and \
            what was sent then, does not count. A file of another tool is read as `tapedeck import` would. Exits with 0 when both play the same, with 1 when they do not.
            """
    )

    @Argument(help: "The first cassette: a name, or a path, also of a file of another tool.")
    var first: String
    @Argument(help: "The second cassette.")
    var second: String
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var folder: FolderOptions

    func run() throws {
        try ExitStatus.reporting {
            let diff = try CassetteDiff(self.first, self.second, folder: self.folder.folder)
            Terminal.print(self.json ? diff.json : diff.lines.joined(separator: "\n"))
            if !diff.isEmpty { throw ExitStatus.found }
        }
    }
}
