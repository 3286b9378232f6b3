import ArgumentParser
import TapedeckDeck

/// The settings that hold for all cassettes of a project.
struct ProjectOptions: ParsableArguments {
    @Option(DeckOption.project) var file: String?
    @Flag(DeckOption.noProject) var hasNone: Bool

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

/// The search of recordings for secrets.
struct ScanOptions: ParsableArguments {
    @Option(DeckOption.scanLimit) var limit: String
    @Flag(DeckOption.allowUnscanned) var allowUnscanned: Bool

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

extension DeckOption {
    static let project = DeckOption(
        "project",
        value: "file",
        default: "tapedeck.yaml, here or above",
        in: .project,
        place: .nowhere,
        excludes: ["no-project"]
    )
    .with(help: "The project file.")

    static let noProject = DeckOption("no-project", kind: .flag, in: .project, place: .nowhere, excludes: ["project"])
        .with(help: "Read no project file.")
}

extension ProjectOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.project, .noProject]
}

extension DeckOption {
    static let scanLimit = DeckOption("scan-limit", value: "size", in: .scanning)
        .with(
            help: """
                The largest text body that is searched for secrets, decoded, such as 500K or 16M; larger ones are \
                not recorded.
                """
        )
        .with(default: OptionNumber.text(ofSize: DeckConfiguration.Defaults.scanLimit))

    static let allowUnscanned = DeckOption("allow-unscanned", kind: .flag, in: .scanning)
        .with(help: "Record larger text bodies too, without searching them for secrets.")
}

extension ScanOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [DeckOption.scanLimit.option, .allowUnscanned]
}
