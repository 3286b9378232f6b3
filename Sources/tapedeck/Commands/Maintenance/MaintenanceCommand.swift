import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

/// A command that sends recorded requests to the live API again.
protocol MaintenanceCommand: ParsableCommand {
    var options: MaintenanceCommandOptions { get }
    var folder: FolderOptions { get }
    var project: ProjectOptions { get }
    var scan: ScanOptions { get }
    var upstream: UpstreamOptions { get }
}

/// The options of `refresh` and `drift` alone: the requests to send.
struct MaintenanceCommandOptions: ParsableArguments {
    @Argument(help: "The cassette: a name or a path.", completion: .cassettes)
    var cassette: String

    @Option(
        name: .customLong("only-set"),
        help: ArgumentHelp("Request only this response set; may be repeated.", valueName: "name")
    )
    var sets: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send requests with these methods, such as POST (default: GET,HEAD,OPTIONS); may be repeated.",
            valueName: "method,…"
        )
    )
    var methods: [String] = []

    @Flag(help: "Send requests with any method, also those that change data.")
    var allMethods = false

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header field for every request; may be repeated, and may contain {{secret.NAME}}.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Flag(DeckOption.verbose) var verbose: Bool

    func validate() throws {
        guard self.methods.isEmpty || !self.allMethods else {
            throw ValidationError("--methods and --all-methods contradict each other: give one of them")
        }
    }
}

extension MaintenanceCommand {
    /// - Parameter progress: counts the requests.
    func maintenance(_ progress: WorkProgress) throws -> CassetteMaintenance {
        let own = self.options
        var options = MaintenanceOptions(
            CassetteFolder.location(own.cassette, folder: self.folder.folder),
            environment: ProcessEnvironment.variables,
            temporaryFolder: ProcessEnvironment.temporaryFolder("tapedeck-drift")
        )
        options.sets = own.sets
        options.headers = try own.headers.map { try MaintenanceOptions.header($0) }
        if own.allMethods {
            options.methods = nil
        } else if !own.methods.isEmpty {
            let names = own.methods.flatMap { $0.split(separator: ",") }.map { $0.uppercased() }
            options.methods = MaintenanceOptions.safeMethods.union(names)
        }
        let level: Logger.Level = own.verbose ? .debug : .error
        let log = Logger(label: "tapedeck") { TerminalLogHandler(label: $0, logLevel: level) }
        let (project, scan, upstream) = (self.project, self.scan, self.upstream)
        let asking = DeckAsking(environment: options.environment, log: log, progress: progress) { configuration in
            project.apply(to: &configuration)
            scan.apply(to: &configuration)
            upstream.apply(to: &configuration)
            // No client waits here that could lose its patience.
            if configuration.readTimeout == 0 { configuration.readTimeout = 60 }
        }
        return CassetteMaintenance(options, asking: asking)
    }
}
