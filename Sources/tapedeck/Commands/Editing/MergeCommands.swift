import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckDeck

struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Copy the response sets of other cassettes into one.",
        discussion: """
            The sets are added after those of the first cassette, which is made if it is not there, with their body files, \
            secrets and profiles. \
            Settings of a whole cassette, such as `ignore`, must be equal. Two different sets of one name are an \
            error.

            With --driver, merges as git requires it of a merge driver: `tapedeck merge --driver %O %A %B %P` puts what \
            both branches have changed in their common version into the second file. Exits with 1 if both have changed \
            the same response set, with git's conflict markers in the file.
            """
    )

    @Argument(help: "The cassette that gets the response sets: a name or a path.", completion: .cassettes)
    var cassette: String
    @Argument(help: "The cassettes that they come from.", completion: .cassettes) var others: [String]
    @Flag(help: "Remove the other cassettes afterwards.") var remove = false
    @Flag(help: "Merge three versions of one cassette for git; the files are those of %O, %A and %B, and the name %P.")
    var driver = false
    @OptionGroup var options: EditingOptions

    func validate() throws {
        guard !self.driver || (2...3).contains(self.others.count) else {
            throw ValidationError("--driver takes the files %O, %A and %B of git, and maybe the name %P")
        }
        guard !self.driver || !self.remove && !self.options.isTrial else {
            throw ValidationError("--driver excludes --remove and --dry-run")
        }
    }

    func run() throws {
        if self.driver { return try self.runAsDriver() }
        try self.options.carryOut("merging") { store, progress in
            try store.merge(
                self.others.map { self.options.location($0) },
                into: self.options.location(self.cassette),
                removing: self.remove,
                progress: progress
            )
        }
    }

    /// Merges the versions of two branches into the file of the first one.
    private func runAsDriver() throws {
        let (base, ours, theirs) = (self.cassette, self.others[0], self.others[1])
        let name = self.others.count > 2 ? self.others[2] : ours
        try ExitStatus.reporting {
            do {
                let outcome = ThreeWayMerge.merge(
                    base: try FileContents.read(base),
                    ours: try FileContents.read(ours),
                    theirs: try FileContents.read(theirs),
                    path: name
                )
                switch outcome {
                case .merged(let text):
                    try FileContents.replace(ours, with: text)
                case .conflict(let parts):
                    Terminal.note("\(name): both branches have changed \(parts.joined(separator: ", "))", .warning)
                    try Self.mark(base: base, ours: ours, theirs: theirs)
                    throw ExitStatus.found
                case .unreadable(let version):
                    Terminal.note("\(name): \(version) is not a cassette without errors", .warning)
                    try Self.mark(base: base, ours: ours, theirs: theirs)
                    throw ExitStatus.found
                }
            } catch let error as ChildProcess.Failure {
                throw DeckError(error.message, kind: .cannotStart)
            } catch let error as FileError {
                throw DeckError(error, kind: .notSaved)
            }
        }
    }
}

extension Merge {
    /// Writes conflict markers into the file of the first branch.
    private static func mark(base: String, ours: String, theirs: String) throws {
        let mine = try FileContents.read(ours)
        let command = ["git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", ours, base, theirs]
        guard try ChildProcess(command, environment: ProcessEnvironment.variables).wait() == 0 else { return }
        // The changed lines are apart, so it has merged them; a person has to look at both texts nevertheless.
        let other = try FileContents.read(theirs)
        let text = [Array("<<<<<<< ours".utf8), mine, Array("=======".utf8), other, Array(">>>>>>> theirs".utf8)].map {
            $0.last == ASCII.lineFeed ? $0 : $0 + [ASCII.lineFeed]
        }
        try FileContents.replace(ours, with: Array(text.joined()))
    }
}

struct Split: ParsableCommand {
    /// The part of a cassette that becomes a cassette of its own.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case host
        case set
    }

    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Split a cassette into one for each host, or for each response set.",
        discussion: """
            The new cassettes are written beside the old one, as CASSETTE-HOST.yaml or CASSETTE-SET.yaml, each with \
            the settings of the old one.
            """
    )

    @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
    @Option(help: ArgumentHelp("The content of each new cassette: the sets of a host, or one set.", valueName: "part"))
    var by = Part.host
    @Flag(help: "Remove the old cassette afterwards.") var remove = false
    @OptionGroup var options: EditingOptions

    func run() throws {
        try self.options.carryOut("splitting") { store, progress in
            try store.split(self.options.location(self.cassette), removing: self.remove, progress: progress) { set in
                self.by == .set ? set.name : set.request.hostName ?? "any-host"
            }
        }
    }
}

extension RequestMatcher {
    /// The only host that it matches, with a port that is not the usual one.
    fileprivate var hostName: String? {
        switch self.url {
        case .exact(let url): return url.origin.authority
        case .template(let template):
            return AbsoluteURL(String(template.source.prefix { $0 != "{" }))?.origin.authority
        case .pattern, .exactPath, .any:
            if case .names(let names) = self.host, names.count == 1 { return names[0] }
            return nil
        }
    }
}
