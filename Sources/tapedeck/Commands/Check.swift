import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report errors in cassettes with file, line, column and advice."
    )

    @Argument(help: "Cassettes, and folders of cassettes (default: the folder of cassettes).", completion: .cassettes)
    var cassettes: [String] = []
    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func run() throws {
        try ExitStatus.reporting {
            let checks = try Progress.counting("checking") { progress in
                let files = try CassetteFolder.files(self.cassettes, folder: self.folder.folder)
                progress.begin(files.count)
                return try files.map { file in
                    defer { progress.step() }
                    return try CassetteCheck(file, folder: nil)
                }
            }
            try self.output.print(CheckList(cassettes: checks), or: Self.lines(checks).joined(separator: "\n"))
            if checks.contains(where: { $0.errors > 0 }) { throw ExitStatus.unusableCassette }
        }
    }

    private static func lines(_ checks: [CassetteCheck]) -> [String] {
        checks.flatMap { check in
            guard check.lines.isEmpty else { return check.lines + check.tokens }
            let sets = check.responseSets == 1 ? "1 response set" : "\(check.responseSets) response sets"
            return ["\(check.path): \(sets), no problems"] + check.tokens
        }
    }

    /// The JSON that `--json` prints.
    private struct CheckList: Encodable {
        let cassettes: [CassetteCheck]
    }
}
