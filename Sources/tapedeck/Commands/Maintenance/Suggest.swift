import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Suggest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Find the places of requests that differ from run to run, from two recordings of the same program.",
        discussion: """
            Plays the requests of the other recording against the first, and shows where they differ although both ask \
            for the same. --apply notes these places in the first cassette, as `varies` of its response sets.
            """
    )

    @Argument(help: "The cassette that is to play both runs: a name, or a path.", completion: .cassettes)
    var cassette: String
    @Argument(help: "Another recording of the same program.")
    var other: String
    @Flag(help: "Note the places in the first cassette; the rest of the file stays as it is.")
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
            self.json ? Terminal.print(suggestions.json) : Terminal.show(suggestions.lines.joined(separator: "\n"))
            guard self.apply, !suggestions.isEmpty else { return }
            try suggestions.apply()
            Terminal.note("written")
        }
    }
}
