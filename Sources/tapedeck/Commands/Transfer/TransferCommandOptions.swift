import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck

/// The common options of `pull` and `push`.
struct TransferCommandOptions: ParsableArguments {
    @Argument(help: "The cassettes, by their names (default: all).", completion: .cassettes)
    var cassettes: [String] = []

    @Flag(help: "Overwrite newer and changed cassettes without asking.")
    var overwrite = false

    @Flag(help: "Only show what would be done.")
    var dryRun = false

    @OptionGroup var control: ControlOptions
    @OptionGroup var output: OutputOptions

    /// The person who is asked and told.
    var person: PersonAtTerminal { PersonAtTerminal(isTold: !self.output.json) }

    /// - Parameter folder: at this end.
    func options(folder: String?, archive: String?) -> TransferOptions {
        var options = TransferOptions()
        options.names = self.cassettes
        options.folder = folder
        options.archive = archive
        options.overwrites = self.overwrite
        options.isDryRun = self.dryRun
        return options
    }

    /// Ends the command: says how much was done, and fails where something was left.
    func end(_ summary: TransferSummary, _ done: String) throws {
        let done = self.dryRun ? "to be \(done)" : done
        if self.output.json { try self.output.print(summary, or: "") }
        Terminal.note("\(summary.copied) \(done), \(summary.same) the same, \(summary.left) left as they are")
        if summary.left > 0 { throw ExitStatus.found }
    }
}

/// A deck that is reached over its control API.
struct RemoteDeck: TransferDeck {
    let client: ControlClient

    var url: String { self.client.url }

    func versions(_ names: [String]) throws -> CassetteVersionList {
        try self.client.cassetteVersions(names)
    }

    func download(_ names: [String], _ receive: ([UInt8]) throws -> Void) throws {
        try self.client.downloadArchive(names, receive)
    }

    func upload(_ next: () throws -> [UInt8]?) throws -> ArchiveResult {
        try self.client.uploadArchive(next)
    }
}

/// The user at the terminal.
struct PersonAtTerminal: TransferPerson {
    /// False leaves standard output to JSON.
    let isTold: Bool

    var canAnswer: Bool { Confirmation.canAsk }

    func ask(_ question: String) -> TransferAnswer {
        Terminal.note("\(question) [y/N/a(ll)]")
        switch Terminal.readAnswer()?.lowercased() {
        case "y", "yes": return .yes
        case "a", "all": return .all
        default: return .no
        }
    }

    func show(_ line: String) { if self.isTold { Terminal.show(line) } }
    func note(_ line: String) { Terminal.note(line) }
}
