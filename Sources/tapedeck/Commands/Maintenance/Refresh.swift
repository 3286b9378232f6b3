import ArgumentParser
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

struct Refresh: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Send recorded requests to the live API again, and replace the takes.",
        discussion: """
            Sends only GET, HEAD and OPTIONS by default. Manual parts stay, and so do sets whose answer is a 401, 403, \
            429 or 5xx where the tape has a success. Secrets of requests come from the environment variables that the \
            cassette's `secrets:` name, else from TAPEDECK_SECRET_NAME.

            Exit codes: 0 if every request got an answer, 69 if one did not, 64 in continuous integration (CI is set) \
            and for wrong options, 65 for a cassette that cannot be used.
            """
    )

    @OptionGroup var options: MaintenanceCommandOptions
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions
    @OptionGroup var scan: ScanOptions
    @OptionGroup var upstream: UpstreamOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Write nothing; show what has changed, as `tapedeck drift` does.")
    var dryRun = false

    @Flag(help: "Let answers such as 401 or 503, and failures, replace successes too.")
    var force = false

    @Flag(name: .customLong("in-ci"), help: "Refresh although CI is set.")
    var inCI = false

    func run() throws {
        try ExitStatus.reporting {
            guard !self.dryRun else { return try self.showDrift(json: self.output.json) }
            let report = try Progress.counting("asking again") { progress in
                let maintenance = try self.maintenance(progress)
                return try Blocking.run { [force, inCI] in try await maintenance.refresh(force: force, inCI: inCI) }
            }
            try MaintenanceEnd.tell(report, of: "refresh", json: self.output.json)
            if !report.failures.isEmpty, !self.force { throw ExitStatus.cannotStart }
        }
    }
}

/// The common end of `refresh` and `drift`.
enum MaintenanceEnd {
    /// Prints a report.
    ///
    /// - Throws: ``DeckError`` for a run without requests, which is no evidence about a cassette, and must not look like success.
    static func tell(_ report: MaintenanceReport, of command: String, json: Bool) throws {
        if json {
            Terminal.print(report.json)
        } else {
            for line in report.changeLines { Terminal.show(line) }
            for line in report.noteLines(command) { Terminal.note(line) }
        }
        guard report.requests == 0 else { return }
        throw DeckError("nothing in \(report.path) could be requested again", kind: .badOption)
    }
}
