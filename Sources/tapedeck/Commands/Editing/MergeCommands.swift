import ArgumentParser
import TapedeckCassettes
import TapedeckCore

struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Copy the response sets of other cassettes into one.",
        discussion: """
            The sets are added after those of the first cassette, with their body files, secrets and profiles. \
            Settings of a whole cassette, such as `ignore`, must be equal. Two different sets of one name are an \
            error.
            """
    )

    @Argument(help: "The cassette that gets the response sets: a name or a path.") var cassette: String
    @Argument(help: "The cassettes that they come from.") var others: [String]
    @Flag(help: "Remove the other cassettes afterwards.") var remove = false
    @OptionGroup var options: EditingOptions

    func run() throws {
        try self.options.carryOut("merging") { store, progress in
            try store.merge(
                self.others.map { self.options.location($0) },
                into: self.options.location(self.cassette),
                removing: self.remove,
                progress: progress
            )
        }
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

    @Argument(help: "The cassette: a name or a path.") var cassette: String
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
