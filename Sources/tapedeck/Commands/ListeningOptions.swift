import ArgumentParser
import TapedeckServer

/// Whether every request must name a session.
enum SessionsOption: String, ExpressibleByArgument, CaseIterable {
    case optional, required
}

/// Where a deck listens, and to whom.
struct ListeningOptions: ParsableArguments {
    @Option(help: "The port to listen on; 0 takes a free one (default: 4747, or a free one for a command).")
    var port: Int?

    @Option(
        help: """
            The port of the control API and the live page; 0 takes a free one (default: the one after --port, or a free \
            one for a command and with --port 0).
            """
    )
    var controlPort: Int?

    @Flag(name: .customLong("no-control"), help: "Offer no control API and no live page.")
    var hasNoControl = false

    @Option(
        help: ArgumentHelp(
            "The address to listen on. On any but a loopback address every client needs a token.",
            valueName: "address"
        )
    )
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Also serve requests that name no origin, for this one: clients use the address as a base URL.",
            valueName: "origin"
        )
    )
    var reverse: String?

    @Option(
        name: .customLong("server-name"),
        help: ArgumentHelp(
            "A host name that leads to the deck, beside localhost; clients that use another are refused. May be repeated.",
            valueName: "name"
        )
    )
    var serverNames: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            """
            Let web pages of this origin use base URLs and --reverse, as pages from localhost may; may be repeated.
            """,
            valueName: "origin"
        )
    )
    var pageOrigins: [String] = []

    @Option(
        name: .customLong("secret-environment"),
        help: ArgumentHelp(
            """
            An environment variable that every cassette may name for a secret, also one that came with a session or was \
            pushed; may be repeated (default: those that the cassettes of this command line name).
            """,
            valueName: "name"
        )
    )
    var secretVariables: [String] = []

    @Option(
        help: ArgumentHelp("How long a client may be silent in the middle of a request.", valueName: "seconds")
    )
    var clientTimeout = 60

    @Option(help: "Whether requests that name no session have one of their own, or are refused.")
    var sessions: SessionsOption?

    @Option(
        name: .customLong("session-ttl"),
        help: ArgumentHelp(
            "After so long without a request a session ends: ms, s, m or h, such as 30m.",
            valueName: "time"
        )
    )
    var sessionTTL = "1h"

    @Option(
        help: ArgumentHelp(
            """
            A file with the token that steers the deck and fits every session (default: TAPEDECK_TOKEN; else none on a \
            loopback address, and a new one, which is printed, on any other).
            """,
            valueName: "file"
        )
    )
    var tokenFile: String?

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
