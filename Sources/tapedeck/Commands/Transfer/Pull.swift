import ArgumentParser
import TapedeckDeck

struct Pull: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring cassettes of a running deck here, with their body files.",
        usage: "tapedeck pull [<options>] [<cassette> ...] [--into <folder> | --archive <file>]",
        discussion: """
            A cassette that was changed here, or is newer here, is not written over without asking; where there is no \
            terminal, it is left, and the exit code is 1. The cassettes are all there at once, or not at all, each by \
            itself.
            """
    )

    @Option(help: ArgumentHelp("Where to put them (default: the folder of cassettes).", valueName: "folder"))
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
            let pull = CassettePull(options, from: deck, telling: PersonAtTerminal())
            let outcome = try Progress.during("pulling from \(deck.url)") { try pull.run() }
            try self.transfer.end(outcome, "pulled")
        }
    }
}
