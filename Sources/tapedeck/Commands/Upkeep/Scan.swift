import ArgumentParser
import TapedeckServer

struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find what looks like a secret in cassettes and their body files.",
        discussion: """
            Exits with 1 if there is any, which makes it a check for CI and for a pre-commit hook. Values are never shown. \
            `tapedeck scrub` takes secrets out.
            """
    )

    @Argument(help: "Cassettes, files, and folders of cassettes (default: the folder of cassettes).")
    var paths: [String] = []
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions

    @Flag(name: .customLong("no-entropy"), help: "Leave out words that only look as if they had been drawn at random.")
    var ignoresEntropy = false

    func run() throws {
        try ExitStatus.reporting {
            let configuration = self.project.configuration
            let search = try SecretSearch(
                self.paths,
                folder: self.folder.folder,
                configuration: configuration,
                usesEntropy: !self.ignoresEntropy
            )
            for line in search.lines { Terminal.print(line) }
            let files = search.files == 1 ? "1 file" : "\(search.files) files"
            guard !search.lines.isEmpty else {
                Terminal.note("\(files) searched, no secrets found")
                return
            }
            Terminal.note("\(search.lines.count) found in \(files); tapedeck scrub CASSETTE takes secrets out")
            throw ExitStatus.found
        }
    }
}
