import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Suggest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Find the parts of requests that change with each run, from two recordings of the same scenario.",
        discussion: """
            Shows the `ignore:` rules to add to the first cassette: for times, ids and other values that differ \
            between otherwise equal requests. --apply writes them.
            """
    )

    @Argument(help: "The cassette that the rules are for: a name, or a path.")
    var cassette: String
    @Argument(help: "Another recording of the same scenario.")
    var other: String
    @Flag(help: "Write the rules into the first cassette; the rest of the file stays as it is.")
    var apply = false
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var folder: FolderOptions

    func run() throws {
        try ExitStatus.reporting {
            let suggestions = try Progress.during("comparing") {
                try CassetteSuggestions(
                    CassetteFolder.location(self.cassette, folder: self.folder.folder),
                    CassetteFolder.location(self.other, folder: self.folder.folder)
                )
            }
            Terminal.print(self.json ? suggestions.json : suggestions.lines.joined(separator: "\n"))
            guard self.apply, !suggestions.isEmpty else { return }
            try suggestions.apply()
            Terminal.note("written")
        }
    }
}
