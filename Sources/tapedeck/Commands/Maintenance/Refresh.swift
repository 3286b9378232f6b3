import ArgumentParser
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

struct Refresh: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the live API each recorded request again, and rewrite the takes.",
        discussion: """
            Asks for GET, HEAD and OPTIONS only, unless told otherwise. What a person wrote stays, and so do sets whose \
            answer is a 401, 403, 429 or 5xx where the tape has a success. Secrets of requests come from the environment \
            variables that the cassette's `secrets:` name, else from TAPEDECK_SECRET_NAME.

            Exit codes: 0 when every request that was asked got its answer, 69 when one did not, 64 in continuous \
            integration (CI is set) and for wrong options, 65 for a cassette that cannot be used.
            """
    )

    @OptionGroup var options: MaintenanceCommandOptions

    @Flag(help: "Write nothing; show what has changed, as `tapedeck drift` does.")
    var dryRun = false

    @Flag(help: "Take answers such as 401 or 503, and failures, in the place of successes too.")
    var force = false

    @Flag(name: .customLong("in-ci"), help: "Refresh although CI is set.")
    var inCI = false

    func run() throws {
        // Nothing is half done when it ends in the middle, so a signal may end it at once.
        Signals.unblock()
        try ExitStatus.reporting {
            let maintenance = try self.options.maintenance()
            guard !self.dryRun else { return try Drift.show(maintenance, json: false) }
            let report = try Progress.during("asking again") {
                try Blocking.run { [force, inCI] in try await maintenance.refresh(force: force, inCI: inCI) }
            }
            for line in report.changeLines { Terminal.print(line) }
            for line in report.noteLines("refresh") { Terminal.note(line) }
            try MaintenanceExit.check(report)
            if !report.failures.isEmpty, !self.force { throw ExitStatus.cannotStart }
        }
    }
}

/// What `refresh` and `drift` have in common at their end.
enum MaintenanceExit {
    /// A run that asked for nothing says nothing about a cassette, and must not look as if it did.
    static func check(_ report: MaintenanceReport) throws {
        guard report.requests == 0 else { return }
        throw DeckError("nothing in \(report.path) could be asked for again", kind: .badOption)
    }
}
