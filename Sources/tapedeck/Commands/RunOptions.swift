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

    @Option(help: "The port to listen on; 0 takes a free one (default: 4747, or a free one for a command).")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Also serve requests that name no origin, for this one: clients use the address as a base URL.",
            valueName: "origin"
        )
    )
    var reverse: String?

    @Flag(help: "Do not fail when a command succeeded although requests were unmatched.")
    var allowUnmatched = false

    @Flag(name: .shortAndLong, help: "Say more about what happens.")
    var verbose = false

    /// The command to run through the deck.
    var command: [String] { CommandLineParts.current.command }

    func validate() throws {
        if let port = self.port, !(0...65_535).contains(port) {
            throw ValidationError("--port takes a number from 0 to 65535")
        }
        if let reverse = self.reverse, !DeckConfiguration.isOrigin(reverse) {
            throw ValidationError("--reverse takes an origin, such as https://api.example.com")
        }
    }
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

/// Exit codes of Tapedeck's own (sysexits.h).
enum ExitStatus {
    static let badOption = ExitCode.validationFailure
    static let unusableCassette = ExitCode(65)
    static let cannotStart = ExitCode(69)
    static let unmatched = ExitCode(70)
    static let notSaved = ExitCode(74)

    /// Runs `work`; says what went wrong in it, and ends with the code for that.
    static func reporting(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as DeckError {
            Terminal.note(error.description)
            switch error.kind {
            case .unusableCassette: throw self.unusableCassette
            case .cannotStart: throw self.cannotStart
            case .notSaved: throw self.notSaved
            case .badOption: throw self.badOption
            }
        }
    }
}
