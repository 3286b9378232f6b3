import ArgumentParser
import TapedeckDeck

struct Push: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Copy cassettes to a running deck, with their body files.",
        usage: "tapedeck push [<options>] [<cassette> ...] [--from <folder> | --archive <file>]",
        discussion: """
            Asks before it overwrites a cassette that was changed on the deck or is newer there; without a terminal, \
            it skips the cassette and exits with 1. A push or recording in between is never overwritten. Cassettes in \
            which `tapedeck check` finds errors, or `tapedeck scan` secrets, are not sent.
            """
    )

    @Option(help: ArgumentHelp("Their folder (default: the folder of cassettes).", valueName: "folder"))
    var from: String?

    @Option(help: ArgumentHelp("Read them from a tar archive instead.", valueName: "file"))
    var archive: String?

    @Flag(help: "Send cassettes with apparent secrets, too.")
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
                telling: self.transfer.person
            )
            let outcome = try Progress.during("pushing to \(deck.url)") { try push.run() }
            try self.transfer.end(outcome, "pushed")
        }
    }
}
