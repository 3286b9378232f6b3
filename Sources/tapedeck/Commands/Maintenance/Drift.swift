import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Drift: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Send recorded requests to the live API again, and show what has changed; write nothing.",
        discussion: """
            Shows changes of shape (status, media type, names of header fields, names and types in JSON) separately \
            from values. Sends the requests that `tapedeck refresh` sends.

            Exit codes: 0 without a change of shape, 1 with one, 69 if a request got no answer, 64 for wrong options, \
            65 for a cassette that cannot be used.
            """
    )

    @OptionGroup var options: MaintenanceCommandOptions
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions
    @OptionGroup var scan: ScanOptions
    @OptionGroup var upstream: UpstreamOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Fail for changed values too.")
    var failOnValues = false

    func run() throws {
        try ExitStatus.reporting {
            try self.showDrift(json: self.json, failsOnValues: self.failOnValues)
        }
    }
}

extension MaintenanceCommand {
    /// Compares, and prints what has changed.
    func showDrift(json: Bool, failsOnValues: Bool = false) throws {
        let report = try Progress.counting("asking again") { progress in
            let maintenance = try self.maintenance(progress)
            return try Blocking.run { try await maintenance.drift() }
        }
        try MaintenanceEnd.tell(report, of: "drift", json: json)
        if report.hasShapeDrift || failsOnValues && !report.changes.isEmpty { throw ExitStatus.found }
        if !report.failures.isEmpty { throw ExitStatus.cannotStart }
    }
}
