import ArgumentParser
import TapedeckServer

/// The settings that hold for all cassettes of a project.
struct ProjectOptions: ParsableArguments {
    @Option(
        name: .customLong("project"),
        help: ArgumentHelp(
            "The project file (default: tapedeck.yaml in this folder or the nearest one above it).",
            valueName: "file"
        )
    )
    var file: String?

    @Flag(name: .customLong("no-project"), help: "Read no project file.")
    var hasNone = false

    func validate() throws {
        guard self.file == nil || !self.hasNone else {
            throw ValidationError("give either --project or --no-project")
        }
    }

    /// For what reads a project's settings and starts no deck.
    var configuration: DeckConfiguration {
        var configuration = DeckConfiguration.passthrough()
        self.apply(to: &configuration)
        return configuration
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.readProject(named: self.file, unless: self.hasNone)
    }
}

/// How far recordings are searched for secrets.
struct ScanOptions: ParsableArguments {
    @Option(
        name: .customLong("scan-limit"),
        help: ArgumentHelp(
            "The largest text body that is searched for secrets, unpacked, such as 500K or 16M; larger ones are not recorded.",
            valueName: "size"
        )
    )
    var limit = "4M"

    @Flag(help: "Record larger text bodies too, without searching them for secrets.")
    var allowUnscanned = false

    func validate() throws {
        guard DeckConfiguration.scanLimit(self.limit) != nil else {
            throw ValidationError("--scan-limit takes a size from 1K to 1G, such as 500K or 16M")
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.scanLimit = DeckConfiguration.scanLimit(self.limit) ?? configuration.scanLimit
        configuration.allowsUnscanned = self.allowUnscanned
    }
}
