import ArgumentParser
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two cassettes, or the folder of cassettes with a git revision, by what they play.",
        discussion: """
            With two cassettes, compares them response set by response set. A file of another tool is read as \
            `tapedeck import` would. With one argument, a git revision, compares all cassettes of the folder with those \
            of that revision, and reports new secrets and the age of takes; --markdown prints this as a comment for a \
            pull request.

            Response sets are paired by their requests, else by their names. Times of recording and recorded requests \
            do not count. Exits with 0 if both play the same, with 1 if they do not.
            """
    )

    @Argument(help: "The first cassette: a name, or a path. If it is the only argument: a git revision.")
    var first: String
    @Argument(help: "The second cassette.")
    var second: String?
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "Print Markdown, for the comparison with a git revision.")
    var markdown = false
    @OptionGroup var folder: FolderOptions
    @OptionGroup var project: ProjectOptions

    func validate() throws {
        guard !self.json || !self.markdown else { throw ValidationError("--json and --markdown exclude each other") }
        guard !self.markdown || self.second == nil else {
            throw ValidationError("--markdown is for the comparison with a git revision: give one argument")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            if let second = self.second {
                let diff = try Progress.during("comparing") {
                    try CassetteDiff(self.first, second, folder: self.folder.folder)
                }
                self.json ? Terminal.print(diff.json) : Terminal.show(diff.lines.joined(separator: "\n"))
                if !diff.isEmpty { throw ExitStatus.found }
            } else {
                try self.review(since: self.first)
            }
        }
    }

    private func review(since revision: String) throws {
        let folder = CassetteFolder.path(self.folder.folder)
        if CassetteFolder.exists(revision, folder: folder) {
            throw DeckError(
                "give a second cassette to compare \(revision) with, or a git revision alone",
                kind: .badOption
            )
        }
        let base = try GitRevision(revision, of: folder)
        // Its files are removed with it.
        defer { withExtendedLifetime(base) {} }
        let review = try Progress.counting("comparing") { progress in
            try CassetteReview(
                from: base.folder,
                since: revision,
                folder: folder,
                configuration: self.project.configuration,
                progress: progress
            )
        }
        if self.json {
            Terminal.print(review.json)
        } else {
            Terminal.show(self.markdown ? review.markdown : review.lines.joined(separator: "\n"))
        }
        if !review.isEmpty { throw ExitStatus.found }
    }
}
