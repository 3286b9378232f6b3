import ArgumentParser
import TapedeckServer

/// Whether every request must name a session.
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
    @Option(DeckOption.serverName) var serverNames: [String]
    @Option(DeckOption.allowOrigin) var pageOrigins: [String]
    @Option(DeckOption.secretEnvironment) var secretVariables: [String]
    @Option(DeckOption.clientTimeout) var clientTimeout: Int
    @Option(DeckOption.sessions) var sessions: SessionsOption?
    @Option(DeckOption.sessionTTL) var sessionTTL: String
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

    /// - Parameter runsCommand: whether the deck is there for one command, which is told its ports.
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
        if let sessions = self.sessions { configuration.requiresSession = sessions == .required }
        configuration.secretVariables = self.secretVariables
        configuration.serverNames = self.serverNames
        configuration.pageOrigins = self.pageOrigins
        configuration.clientTimeout = self.clientTimeout
        configuration.sessionTTL = self.sessionTTL
        configuration.token = try DeckToken.given(file: self.tokenFile)
        configuration.tokenFile = self.tokenFile
    }
}

extension DeckOption {
    static let host = DeckOption(
        "host",
        "The address to listen on. On any address but a loopback one, every client needs a token.",
        value: "address",
        in: .listening
    )
    .with(default: DeckConfiguration.Defaults.host)

    static let port = DeckOption(
        "port",
        "The port of the proxy; 0 picks a free one.",
        default: "\(DeckConfiguration.Defaults.port), or a free one for a command",
        in: .listening
    )

    static let controlPort = DeckOption(
        "control-port",
        "The port of the control API and the live page; 0 picks a free one.",
        default: "the one after --port, or a free one",
        in: .listening,
        excludes: ["no-control"]
    )

    static let noControl = DeckOption(
        "no-control",
        "Run without the control API and the live page.",
        kind: .flag,
        in: .listening,
        excludes: ["control-port"]
    )

    static let reverse = DeckOption(
        "reverse",
        "Also serve requests that name no origin, for this one: clients use the address as a base URL.",
        value: "origin",
        in: .running
    )

    static let serverName = DeckOption(
        "server-name",
        """
        A host name that leads to the deck, beside localhost; clients that use another are refused. May be \
        repeated.
        """,
        kind: .repeated(.commas),
        value: "name",
        in: .running
    )

    static let allowOrigin = DeckOption(
        "allow-origin",
        "Let web pages of this origin use base URLs and --reverse, as pages from localhost may; may be repeated.",
        kind: .repeated(.commas),
        value: "origin",
        in: .running
    )

    static let secretEnvironment = DeckOption(
        "secret-environment",
        """
        An environment variable that every cassette may name for a secret, including cassettes that came \
        with a session or were pushed; may be repeated.
        """,
        kind: .repeated(.commas),
        value: "name",
        default: "those that the cassettes on the command line name",
        in: .running
    )

    static let clientTimeout = DeckOption(
        "client-timeout",
        "The maximum silence of a client in the middle of a request.",
        value: "seconds",
        in: .running
    )
    .with(default: DeckConfiguration.Defaults.clientTimeout)

    static let sessions = DeckOption(
        "sessions",
        "Whether requests that name no session use a default session (optional), or are refused (required).",
        default: "optional; required for serve without a cassette",
        in: .running
    )

    static let sessionTTL = DeckOption(
        "session-ttl",
        "End a session after this time without a request: ms, s, m or h, such as 30m.",
        value: "time",
        in: .running
    )
    .with(default: DeckConfiguration.Defaults.sessionTTL)

    static let tokenFile = DeckOption(
        "token-file",
        """
        A file with the token that gives control of the deck and is valid for every session. Takes \
        precedence over TAPEDECK_TOKEN, unless only the project file names it.
        """,
        value: "file",
        default: "TAPEDECK_TOKEN, else none on loopback and a new one elsewhere",
        in: .running,
        excludes: ["token"],
        isPath: true
    )

    static let token = DeckOption(
        "token",
        "The token itself; never shown.",
        kind: .variable,
        default: "none, or a new one where other machines reach the deck",
        in: .running,
        place: .nowhere,
        excludes: ["token-file"],
        isSecret: true
    )
}

extension ListeningOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        DeckOption.host.option, .port, .controlPort, .noControl, .reverse, .serverName, .allowOrigin,
        .secretEnvironment, DeckOption.clientTimeout.option, .sessions, DeckOption.sessionTTL.option, .tokenFile,
        .token,
    ]
}
