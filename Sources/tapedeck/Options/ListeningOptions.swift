import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// The setting that every request must name a session.
enum SessionsOption: String, ExpressibleByArgument, CaseIterable {
    case optional, required
}

/// The addresses and ports of a deck, and the clients it answers.
struct ListeningOptions: ParsableArguments {
    @Option(DeckOption.port) var port: Int?
    @Option(DeckOption.controlPort) var controlPort: Int?
    @Flag(DeckOption.noControl) var hasNoControl: Bool
    @Option(DeckOption.host) var host: String
    @Option(DeckOption.reverse) var reverse: String?
    @Flag(DeckOption.noRewrite) var keepsAddresses: Bool
    @Option(DeckOption.serverName) var serverNames: [String]
    @Option(DeckOption.allowOrigin) var pageOrigins: [String]
    @Option(DeckOption.secretEnvironment) var secretVariables: [String]
    @Flag(DeckOption.http1) var speaksHTTP1Alone: Bool
    @Option(DeckOption.clientTimeout) var clientTimeout: Int
    @Option(DeckOption.sessions) var sessions: SessionsOption?
    @Option(DeckOption.sessionTTL) var sessionTTL: String
    @Flag(DeckOption.absolutePaths) var takesPaths: Bool
    @Option(DeckOption.tokenFile) var tokenFile: String?

    func validate() throws {
        for (option, port) in [("--port", self.port), ("--control-port", self.controlPort)] {
            if let port, !(0...65_535).contains(port) {
                throw ValidationError("\(option) takes a number from 0 to 65535")
            }
        }
        if let port = self.port, port != 0, port == self.controlPort {
            throw ValidationError("--port and --control-port are two ports; give them different numbers")
        }
        if self.hasNoControl, self.controlPort != nil {
            throw ValidationError("--no-control and --control-port exclude each other")
        }
        if let reverse = self.reverse, !DeckConfiguration.isOrigin(reverse) {
            throw ValidationError("--reverse takes an origin, such as https://api.example.com")
        }
    }

    /// - Parameter runsCommand: true if the deck runs one command, which gets its ports.
    /// - Throws: `DeckError` for a token that cannot be read.
    func apply(to configuration: inout DeckConfiguration, runsCommand: Bool) throws {
        configuration.host = self.host
        configuration.takePorts(
            port: self.port,
            controlPort: self.controlPort,
            hasControl: !self.hasNoControl,
            runsCommand: runsCommand
        )
        configuration.reverse = self.reverse
        configuration.rewritesAddresses = !self.keepsAddresses
        if let sessions = self.sessions { configuration.requiresSession = sessions == .required }
        configuration.secretVariables = self.secretVariables
        configuration.serverNames = self.serverNames
        configuration.pageOrigins = self.pageOrigins
        configuration.speaksHTTP2 = !self.speaksHTTP1Alone
        configuration.clientTimeout = self.clientTimeout
        configuration.sessionTTL = self.sessionTTL
        configuration.token = try DeckToken.given(file: self.tokenFile)
        configuration.tokenFile = self.tokenFile
        configuration.takesPaths = self.takesPaths
        // Every session looks at its cassettes' files when it begins.
        if self.takesPaths { configuration.watchesCassettes = false }
        guard !self.takesPaths || configuration.token != nil else {
            throw DeckError(
                "--absolute-paths lets sessions read and write every file that you can; give the deck a token with "
                    + "TAPEDECK_TOKEN or --token-file",
                kind: .badOption
            )
        }
    }
}

extension DeckOption {
    static let host = DeckOption("host", value: "address", in: .listening)
        .with(help: "The address to listen on. On any address but a loopback one, every client needs a token.")
        .with(default: DeckConfiguration.Defaults.host)

    static let port = DeckOption(
        "port",
        default: "\(DeckConfiguration.Defaults.port), or a free one for a command",
        in: .listening
    )
    .with(help: "The port of the proxy; 0 picks a free one.")

    static let controlPort = DeckOption(
        "control-port",
        default: "the one after --port, or a free one",
        in: .listening,
        excludes: ["no-control"]
    )
    .with(help: "The port of the control API and the live page; 0 picks a free one.")

    static let noControl = DeckOption("no-control", kind: .flag, in: .listening, excludes: ["control-port"])
        .with(help: "Run without the control API and the live page.")

    static let reverse = DeckOption("reverse", value: "origin", in: .running)
        .with(help: "Also accept requests without an origin, for this one: clients use the address as a base URL.")

    static let noRewrite = DeckOption("no-rewrite", kind: .flag, in: .running)
        .with(
            help: "Send redirects, links and cookies to clients of --reverse and base URLs as the origin sends them."
        )

    static let serverName = DeckOption("server-name", kind: .repeated(.commas), value: "name", in: .running)
        .with(
            help: """
                A host name that leads to the deck, beside localhost; clients that use another are refused. May be \
                repeated.
                """
        )

    static let allowOrigin = DeckOption("allow-origin", kind: .repeated(.commas), value: "origin", in: .running)
        .with(
            help:
                "Let web pages of this origin use base URLs and --reverse, as pages from localhost may; may be repeated."
        )

    static let secretEnvironment = DeckOption(
        "secret-environment",
        kind: .repeated(.commas),
        value: "name",
        default: "those that the cassettes on the command line name",
        in: .running
    )
    .with(
        help: """
            An environment variable that every cassette may name for a secret, including cassettes that are sent with \
            a session or pushed; may be repeated.
            """
    )

    static let http1 = DeckOption("http1", kind: .flag, in: .running)
        .with(help: "Use only HTTP/1.1, with clients and origins.")

    static let clientTimeout = DeckOption("client-timeout", value: "seconds", in: .running)
        .with(help: "The maximum silence of a client in the middle of a request.")
        .with(default: DeckConfiguration.Defaults.clientTimeout)

    static let sessions = DeckOption(
        "sessions",
        default: "optional; required for serve without a cassette",
        in: .running
    )
    .with(help: "Requests that name no session use a default session (optional), or are refused (required).")

    static let sessionTTL = DeckOption("session-ttl", value: "time", in: .running)
        .with(help: "End a session after this time without a request: ms, s, m or h, such as 30m.")
        .with(default: DeckConfiguration.Defaults.sessionTTL)

    static let absolutePaths = DeckOption("absolute-paths", kind: .flag, in: .running)
        .with(
            help: """
                Sessions may name cassettes by absolute path, and so read and write every file that you can: for a deck \
                that is a child process of tests. Needs a token.
                """
        )

    static let tokenFile = DeckOption(
        "token-file",
        value: "file",
        default: "TAPEDECK_TOKEN, else none on loopback and a new one elsewhere",
        in: .running,
        excludes: ["token"],
        isPath: true
    )
    .with(
        help: """
            A file with the token that gives control of the deck and is valid for every session. Takes \
            precedence over TAPEDECK_TOKEN, unless only the project file names it.
            """
    )

    static let token = DeckOption(
        "token",
        kind: .variable,
        default: "none, or a new one where other machines reach the deck",
        in: .running,
        place: .nowhere,
        excludes: ["token-file"],
        isSecret: true
    )
    .with(help: "The token itself; never shown.")
}

extension ListeningOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        DeckOption.host.option, .port, .controlPort, .noControl, .reverse, .noRewrite, .serverName, .allowOrigin,
        .secretEnvironment, .http1, DeckOption.clientTimeout.option, .sessions, DeckOption.sessionTTL.option,
        .absolutePaths, .tokenFile, .token,
    ]
}
