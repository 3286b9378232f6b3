import ArgumentParser
import TapedeckDeck

struct Push: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring cassettes of here to a running deck, with their body files.",
        usage: "tapedeck push [<options>] [<cassette> ...] [--from <folder> | --archive <file>]",
        discussion: """
            A cassette that was changed on the deck, or is newer there, is not written over without asking; where there is \
            no terminal, it is left, and the exit code is 1. Nobody else's push or recording is ever written over unseen. \
            Cassettes that `tapedeck check` finds errors in, or `tapedeck scan` secrets, are not sent.
            """
    )

    @Option(help: ArgumentHelp("Where they are (default: the folder of cassettes).", valueName: "folder"))
    var from: String?

    @Option(help: ArgumentHelp("Take them out of a tar archive instead.", valueName: "file"))
    var archive: String?

    @Flag(help: "Send cassettes with what looks like a secret, too.")
    var allowSecrets = false

    @OptionGroup var transfer: TransferCommandOptions
    @OptionGroup var project: ProjectOptions

    func validate() throws {
        guard self.from == nil || self.archive == nil else { throw ValidationError("give either --from or --archive") }
    }

    func run() throws {
        try ExitStatus.reporting {
            let deck = RemoteDeck(client: try self.transfer.control.client())
            var options = self.transfer.options(folder: self.from, archive: self.archive)
            options.allowsSecrets = self.allowSecrets
            let push = CassettePush(
                options,
                configuration: self.project.configuration,
                to: deck,
                telling: PersonAtTerminal()
            )
            let outcome = try Progress.during("pushing to \(deck.url)") { try push.run() }
            try self.transfer.end(outcome, "pushed")
        }
    }
}
