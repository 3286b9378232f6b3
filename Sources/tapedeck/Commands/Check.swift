import ArgumentParser
import TapedeckServer

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what is wrong with cassettes: file, line, column, and what to do."
    )

    @Argument(help: "The cassettes: names or paths.")
    var cassettes: [String]
    @OptionGroup var folder: FolderOptions

    func run() throws {
        try ExitStatus.reporting {
            var errors = 0
            for cassette in self.cassettes {
                let check = try CassetteCheck(cassette, folder: self.folder.folder)
                for line in check.lines { Terminal.print(line) }
                if check.lines.isEmpty {
                    let sets = check.responseSets == 1 ? "1 response set" : "\(check.responseSets) response sets"
                    Terminal.print("\(check.path): \(sets), no problems")
                }
                for line in check.tokens { Terminal.print(line) }
                errors += check.errors
            }
            if errors > 0 { throw ExitStatus.unusableCassette }
        }
    }
}
