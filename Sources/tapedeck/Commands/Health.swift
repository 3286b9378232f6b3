import ArgumentParser
import TapedeckCassettes
import TapedeckControlClient
import TapedeckDeck

/// For a container's health check: no shell, no token, no file that is written.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check that the deck on this machine accepts requests; exit with 0 if so, else with 1.",
        discussion: """
            Checks the address on which `serve` with the same options, environment and project file listens, or \
            --deck.
            """
    )

    @Option(
        name: .customLong("deck"),
        help: ArgumentHelp("The control API of another deck.", valueName: "url")
    )
    var url: String?

    @Option(DeckOption.host, help: "The address that the deck listens on.") var host: String
    @Option(DeckOption.port, help: "The port that it listens on (default: \(DeckConfiguration.Defaults.port)).")
    var port: Int?
    @Option(DeckOption.controlPort, help: "The port of its control API (default: the one after --port).")
    var controlPort: Int?
    @Flag(DeckOption.noControl, help: "It has no control API: check its proxy.") var hasNoControl: Bool

    @OptionGroup var project: ProjectOptions

    @Option(help: ArgumentHelp("The maximum time for the answer.", valueName: "seconds"))
    var timeout = 3

    func validate() throws {
        guard (1...3_600).contains(self.timeout) else { throw ValidationError("--timeout takes 1 to 3600 seconds") }
        for (option, port) in [("--port", self.port), ("--control-port", self.controlPort)] {
            if let port, !(0...65_535).contains(port) {
                throw ValidationError("\(option) takes a number from 0 to 65535")
            }
        }
        if self.hasNoControl, self.controlPort != nil {
            throw ValidationError("--no-control and --control-port exclude each other")
        }
    }

    func run() throws {
        do {
            let url = try self.url ?? self.address
            let client = try ControlClient(url: url, timeout: .seconds(self.timeout))
            let asksProxy = self.url == nil && self.hasNoControl
            guard try asksProxy ? client.proxyReadiness() == .ready : client.readiness() == .ready else {
                Terminal.note("the deck at \(client.url) is stopping")
                throw ExitStatus.found
            }
            Terminal.print("the deck at \(client.url) takes requests")
        } catch let error as ControlError where error.kind == .noDeck {
            let place = try self.url ?? self.address
            Terminal.note("no deck takes requests at \(place)")
            throw ExitStatus.found
        } catch let error as ControlError {
            Terminal.note(error.description)
            throw ExitStatus.found
        } catch let error as DeckError {
            Terminal.note(error.description)
            throw ExitStatus.found
        }
    }

    /// The address on which `serve` would listen.
    private var address: String {
        get throws(DeckError) {
            var configuration = DeckConfiguration.serve([])
            configuration.host = self.host
            configuration.takePorts(
                port: self.port,
                controlPort: self.controlPort,
                hasControl: !self.hasNoControl,
                runsCommand: false
            )
            let port = configuration.controlPort ?? configuration.port
            guard port != 0 else {
                throw DeckError("the deck takes a free port, which is unknown here: name it with --deck URL")
            }
            return DeckConfiguration.url(host: self.host, port: port)
        }
    }
}
