import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Scrub: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Replace secrets in existing cassettes by placeholders.",
        discussion: """
            The file is edited in place: everything else stays, comments included. The rules are those of a recording. \
            A secret in a file's history is compromised: revoke it, too.
            """
    )

    @Argument(help: "The cassettes: names or paths.", completion: .cassettes)
    var cassettes: [String]
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions

    @Flag(name: .customLong("dry-run"), help: "Only show what would be redacted.")
    var isTrial = false
    @OptionGroup var output: OutputOptions

    /// The JSON that `--json` prints.
    private struct Scrubbed: Encodable {
        struct Cassette: Encodable {
            let path: String
            let secrets: [String]
            let texts: Int
            let bodyFiles: Int
            /// The places that could not be searched or changed.
            let left: [String]

            init(_ scrub: CassetteScrub) {
                self.path = scrub.path
                self.secrets = scrub.names
                (self.texts, self.bodyFiles) = scrub.counts
                self.left = scrub.left
            }
        }

        var cassettes: [Cassette] = []
    }

    func run() throws {
        try ExitStatus.reporting {
            let configuration = self.project.configuration
            let rules = try configuration.projectRules
            // None is written if another one cannot be used.
            for cassette in self.cassettes { _ = try CassetteTable(cassette, folder: self.folder.folder) }
            var isWhole = true
            var scrubbed = Scrubbed()
            for cassette in self.cassettes {
                let scrub = try Progress.counting("searching \(cassette)") { progress in
                    try CassetteScrub(
                        CassetteFolder.location(cassette, folder: self.folder.folder),
                        rules: rules,
                        environment: configuration.environment,
                        writes: !self.isTrial,
                        progress: progress
                    )
                }
                scrubbed.cassettes.append(Scrubbed.Cassette(scrub))
                isWhole = isWhole && scrub.left.isEmpty
                guard !self.output.json else { continue }
                Terminal.show(scrub.line(isTrial: self.isTrial))
                for line in scrub.left { Terminal.note(line) }
            }
            if self.output.json { try self.output.print(scrubbed, or: "") }
            if !isWhole { throw ExitStatus.found }
        }
    }
}
