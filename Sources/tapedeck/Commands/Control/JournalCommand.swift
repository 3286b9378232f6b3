import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient

struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Show the requests of a running session, and what answered them."
    )

    /// As many as one page of the control API holds.
    private static let largestLimit = 1_000

    @Flag(name: .shortAndLong, help: "Continue with new requests, until the session ends or Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("Show this number of the newest requests.", valueName: "number"))
    var limit = 20

    @Option(help: "Only pending, played, recorded, passedThrough, unmatched, refused or cancelled requests.")
    var outcome: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard ((self.follow ? 0 : 1)...Self.largestLimit).contains(self.limit) else {
            throw ValidationError("--limit takes a number from 1 to \(Self.largestLimit), or 0 with --follow")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            let session = try self.options.session()
            var filter = SessionClient.JournalFilter()
            filter.limit = max(1, self.limit)
            filter.outcome = self.outcome
            let page = try session.journal(filter)
            guard self.follow else {
                let lines = page.entries.flatMap { JournalLines($0).lines }
                guard self.output.json || !lines.isEmpty else {
                    Terminal.note("there are no such requests yet")
                    return
                }
                try self.output.print(page, or: lines.joined(separator: "\n"))
                return
            }
            do {
                try self.follow(session, from: page)
            } catch let error as ControlError where error.kind == .interrupted {
                // Following usually ends when the deck stops.
                Terminal.note(error.description)
            }
        }
    }

    /// Prints each request once, when it is over.
    private func follow(_ session: SessionClient, from page: JournalPage) throws {
        let first = self.limit == 0 ? [] : page.entries.filter { $0.ending != nil }
        for entry in first { try self.print(entry) }
        // A page of some outcomes only may end before what it has shown.
        let shown = Set(first.map(\.number))
        try session.follow(after: page.version) { event in
            switch event {
            case .entry(let entry):
                guard entry.ending != nil, !shown.contains(entry.number) else { break }
                if self.outcome == nil || entry.outcome == self.outcome { try self.print(entry) }
            case .missed(let count): Terminal.note("\(count) requests went before they could be shown")
            case .ended: Terminal.note("the session has ended")
            case .session: break
            }
            return true
        }
    }

    private func print(_ entry: JournalEntryModel) throws {
        guard self.output.json else {
            for line in JournalLines(entry).lines { Terminal.show(line) }
            return
        }
        Terminal.print(try ControlJSON.text(entry, isPretty: false))
    }
}
