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
    @OptionGroup var output: OutputOptions

    /// The JSON that `--json` prints.
    private struct Finding: Encodable {
        /// `nil` if it is not known.
        var deck: String?
        var isReady: Bool
        var problem: String?
    }

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
        let finding = self.finding()
        let text = finding.problem ?? "the deck at \(finding.deck ?? "") takes requests"
        if self.output.json || finding.isReady {
            try self.output.print(finding, or: text)
        } else {
            Terminal.note(text)
        }
        if !finding.isReady { throw ExitStatus.found }
    }

    private func finding() -> Finding {
        var finding = Finding(deck: self.url, isReady: false)
        do {
            let url = try self.url ?? self.address
            finding.deck = url
            let client = try ControlClient(url: url, timeout: .seconds(self.timeout))
            finding.deck = client.url
            let asksProxy = self.url == nil && self.hasNoControl
            finding.isReady = try asksProxy ? client.proxyReadiness() == .ready : client.readiness() == .ready
            if !finding.isReady { finding.problem = "the deck at \(client.url) is stopping" }
        } catch let error as ControlError where error.kind == .noDeck {
            finding.problem = "no deck takes requests at \(finding.deck ?? "")"
        } catch {
            finding.problem = "\(error)"
        }
        return finding
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
