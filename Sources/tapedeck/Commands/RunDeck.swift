import ArgumentParser
import Logging
import TapedeckServer

/// What all modes do alike: start a deck, run a command through it or serve until told to stop, and sum up.
struct RunDeck {
    private let configuration: DeckConfiguration
    private let options: RunOptions

    private var hasCommand: Bool { !self.options.command.isEmpty }

    init(_ configuration: DeckConfiguration, options: RunOptions, upstream: UpstreamOptions) {
        var configuration = configuration
        upstream.apply(to: &configuration)
        options.project.apply(to: &configuration)
        self.configuration = configuration
        self.options = options
    }

    func run() throws {
        try ExitStatus.reporting {
            var configuration = self.configuration
            try self.options.listening.apply(to: &configuration, runsCommand: self.hasCommand)
            try self.options.transparent.apply(to: &configuration)
            self.options.deckName.apply(to: &configuration)
            let level: Logger.Level = self.options.verbose ? .debug : self.hasCommand ? .warning : .notice
            let log = Logger(label: "tapedeck") { _ in TerminalLogHandler(logLevel: level) }
            let deck = try Blocking.run { [configuration] in try await Deck.start(configuration, log: log) }
            for (path, exchanges) in deck.recovered {
                Terminal.note("took up an interrupted recording: \(exchanges) exchanges are now in \(path)")
            }
            if let token = deck.token, token.isMade {
                Terminal.note(
                    "other machines can reach this deck, so it has a token: export TAPEDECK_TOKEN=\(token.value)"
                )
            }
            let ending: Supervisor.Ending
            do {
                ending = self.hasCommand ? try self.runCommand(through: deck) : try self.serve(deck)
            } catch let error as DeckError where error.kind != .notSaved {
                _ = try Blocking.run { try await deck.stop() }
                throw error
            }
            for line in DeckSummary(ending.report).lines { Terminal.note(line) }
            let status = self.status(ending)
            try RunReport.write(ending.report, of: self.configuration, self.options.command, exitCode: status.rawValue)
            if !status.isSuccess { throw status }
        }
    }

    /// Runs the command with an environment that leads it here. Its certificate files go when it does.
    private func runCommand(through deck: Deck) throws -> Supervisor.Ending {
        let trust = try ClientEnvironment.TrustFiles.writeTemporary(authority: deck.authorityPEM, to: "tapedeck")
        defer { trust.remove() }
        let environment = ClientEnvironment.child(
            inheriting: ProcessEnvironment.variables,
            proxy: deck.proxyURL,
            baseURL: self.options.listening.reverse == nil ? nil : deck.url,
            controlURL: deck.controlURL,
            token: deck.token,
            trust: trust
        )
        for port in deck.transparent { Terminal.note(port.line) }
        let child: ChildProcess
        do {
            child = try ChildProcess(self.options.command, environment: environment)
        } catch {
            Terminal.note(error.message)
            _ = try Blocking.run { try await deck.stop() }
            throw ExitCode(error.exitCode)
        }
        return try Supervisor(deck: deck, child: child).run()
    }

    private func serve(_ deck: Deck) throws -> Supervisor.Ending {
        // A deck whose folders are all read-only serves as well as any other.
        let trust = try? ClientEnvironment.TrustFiles.writeLasting(authority: deck.authorityPEM)
        Terminal.note("\(deck.title) at \(deck.url) (Ctrl-C \(deck.records ? "saves and stops" : "stops"))")
        if let seed = deck.seed { Terminal.note(DeckSummary.seedLine(seed)) }
        if let reverse = self.options.listening.reverse {
            Terminal.note("  as a base URL, in place of \(reverse):  \(deck.url)")
        }
        if deck.configuration.requiresSession {
            Terminal.note("  every request must name a session:  tapedeck session create CASSETTE")
        } else {
            // The token is not told again: the shell has it.
            let proxy = deck.proxyURL(token: "$TAPEDECK_TOKEN")
            Terminal.note("  as a proxy:   export http_proxy=\(proxy) https_proxy=\(proxy) no_proxy=")
        }
        for port in deck.transparent { Terminal.note(port.line) }
        if let url = deck.controlURL {
            Terminal.note("  to steer it:  \(url)   (a page for the browser; or tapedeck select, journal, …)")
        }
        if let trust {
            Terminal.note("  to trust it:  export SSL_CERT_FILE=\(trust.bundle)   (for others: tapedeck ca env)")
        } else {
            Terminal.note("  to trust it:  \(deck.controlURL.map { "\($0)/v1/ca.pem" } ?? "http://tapedeck.local/")")
        }
        return try Supervisor(deck: deck, child: nil).run()
    }

    private func status(_ ending: Supervisor.Ending) -> ExitCode {
        guard ending.exitCode == 0 else { return ExitCode(ending.exitCode) }
        if ending.report.hasLostRecording { return ExitStatus.notSaved }
        if self.hasCommand, ending.report.unmatchedCount > 0, !self.options.allowUnmatched {
            return ExitStatus.unmatched
        }
        return ExitCode.success
    }
}
