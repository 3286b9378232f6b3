import ArgumentParser
import TapedeckServer

/// Where cassettes are looked up.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .customLong("cassettes"),
        help: ArgumentHelp(
            "The folder of cassettes named by a bare name (default: TAPEDECK_CASSETTES, else cassettes).",
            valueName: "dir"
        )
    )
    var folder: String?
}

/// The options that all modes share.
struct RunOptions: ParsableArguments {
    @OptionGroup var folder: FolderOptions
    @OptionGroup var listening: ListeningOptions

    @Flag(help: "Do not fail when a command succeeded although requests were unmatched.")
    var allowUnmatched = false

    @Flag(name: .shortAndLong, help: "Say more about what happens.")
    var verbose = false

    /// The command to run through the deck.
    var command: [String] { CommandLineParts.current.command }
}

/// The options for modes that talk to origins.
struct UpstreamOptions: ParsableArguments {
    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp("A PEM file of authorities to trust too; may be repeated.", valueName: "file")
    )
    var authorities: [String] = []

    @Option(
        name: .customLong("insecure-upstream"),
        help: ArgumentHelp("A host whose certificate is taken unverified; may be repeated.", valueName: "host")
    )
    var insecureHosts: [String] = []

    @Option(help: ArgumentHelp("How long connecting to an origin may take.", valueName: "seconds"))
    var connectTimeout = 10

    @Option(help: ArgumentHelp("How long an origin may be silent while an answer is due.", valueName: "seconds"))
    var readTimeout = 60

    func validate() throws {
        guard self.connectTimeout > 0, self.readTimeout > 0 else {
            throw ValidationError("timeouts are whole seconds, at least 1")
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.upstreamCAFiles = self.authorities
        configuration.insecureHosts = self.insecureHosts
        configuration.connectTimeout = self.connectTimeout
        configuration.readTimeout = self.readTimeout
    }
}
