import ArgumentParser
import TapedeckDeck
import TapedeckMaintenance

struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Find secrets in cassettes and their body files.",
        discussion: """
            Exits with 1 if there are any, for CI and pre-commit hooks. Values are never shown. `tapedeck scrub` \
            removes secrets.
            """
    )

    @Argument(
        help: "Cassettes, files, and folders of cassettes (default: the folder of cassettes).",
        completion: .cassettes
    )
    var paths: [String] = []
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions

    @Flag(name: .customLong("no-entropy"), help: "Leave out words that only look random.")
    var ignoresEntropy = false

    @OptionGroup var output: OutputOptions

    /// The JSON that `--json` prints.
    private struct Findings: Encodable {
        let files: Int
        let findings: [SecretSearch.Finding]
    }

    func run() throws {
        try ExitStatus.reporting {
            let configuration = self.project.configuration
            let search = try Progress.counting("searching") { progress in
                try SecretSearch(
                    self.paths,
                    folder: self.folder.folder,
                    configuration: configuration,
                    usesEntropy: !self.ignoresEntropy,
                    progress: progress
                )
            }
            if self.output.json {
                try self.output.print(Findings(files: search.files, findings: search.found), or: "")
                if !search.lines.isEmpty { throw ExitStatus.found }
                return
            }
            for line in search.lines { Terminal.show(line) }
            let files = search.files == 1 ? "1 file" : "\(search.files) files"
            guard let advice = search.advice else {
                Terminal.note("\(files) searched, no secrets found")
                return
            }
            Terminal.note("\(search.lines.count) found in \(files); \(advice)")
            throw ExitStatus.found
        }
    }
}
