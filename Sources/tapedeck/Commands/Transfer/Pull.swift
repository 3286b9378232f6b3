import ArgumentParser
import TapedeckDeck

struct Pull: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Copy cassettes from a running deck, with their body files.",
        usage: "tapedeck pull [<options>] [<cassette> ...] [--into <folder> | --archive <file>]",
        discussion: """
            Asks before it overwrites a cassette that was changed here or is newer here; without a terminal, it skips \
            the cassette and exits with 1. Each cassette is copied completely or not at all.
            """
    )

    @Option(help: ArgumentHelp("The folder to copy them into (default: the folder of cassettes).", valueName: "folder"))
    var into: String?

    @Option(help: ArgumentHelp("Write them into one tar archive instead.", valueName: "file"))
    var archive: String?

    @OptionGroup var transfer: TransferCommandOptions

    func validate() throws {
        guard self.into == nil || self.archive == nil else { throw ValidationError("give either --into or --archive") }
    }

    func run() throws {
        try ExitStatus.reporting {
            let deck = RemoteDeck(client: try self.transfer.control.client())
            let options = self.transfer.options(folder: self.into, archive: self.archive)
            let pull = CassettePull(options, from: deck, telling: self.transfer.person)
            let outcome = try Progress.during("pulling from \(deck.url)") { try pull.run() }
            try self.transfer.end(outcome, "pulled")
        }
    }
}
