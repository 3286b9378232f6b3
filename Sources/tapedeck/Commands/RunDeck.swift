import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

/// The common part of all modes: starts a deck, runs a command through it or serves until it is stopped, and prints the
/// summary.
struct RunDeck {
    private let configuration: DeckConfiguration
    private let usual: UsualOptions
    private let options: RunOptions

    private var hasCommand: Bool { !self.options.command.isEmpty || self.options.browser.browser != nil }

    init(
        _ configuration: DeckConfiguration,
        usual: UsualOptions,
        options: RunOptions,
        upstream: UpstreamOptions
    ) {
        var configuration = configuration
        upstream.apply(to: &configuration)
        options.project.apply(to: &configuration)
        self.configuration = configuration
        self.usual = usual
        self.options = options
    }

    func run() throws {
        try ExitStatus.reporting {
            let configuration = try self.complete()
            let level = self.options.log.level(runsCommand: self.hasCommand)
            let log = Logger(label: "tapedeck") { TerminalLogHandler(label: $0, logLevel: level) }
            if self.hasCommand { InheritedFiles.note() }
            OpenFiles.raise()
            let deck = try Progress.during("loading") {
                try Signals.endingProcess { try await Deck.start(configuration, log: log) }
            }
            DeckNotes.start(of: deck)
            let ending: Supervisor.Ending
            do {
                ending = self.hasCommand ? try self.runCommand(through: deck) : try self.serve(deck, log: log)
            } catch let error as DeckError where error.kind != .notSaved && error.kind != .unknownSecrets {
                _ = try Blocking.run { try await deck.stop(commandFailed: true) }
                throw error
            }
            DeckNotes.end(ending.report, ranCommand: self.hasCommand, saidReasons: level <= .notice)
            if let ports = ending.isolation { DeckNotes.isolated(deck, ports) }
            let status = self.status(ending)
            try RunReport.write(ending.report, of: self.configuration, self.options.command, exitCode: status.rawValue)
            if !status.isSuccess { throw status }
        }
    }

    /// The configuration with what all modes have alike.
    private func complete() throws -> DeckConfiguration {
        var configuration = self.configuration
        try self.options.limits.apply(to: &configuration)
        try self.options.listening.apply(to: &configuration, runsCommand: self.hasCommand)
        try self.options.transparent.apply(to: &configuration)
        self.options.deckName.apply(to: &configuration)
        self.options.stop.apply(to: &configuration)
        return configuration
    }

    /// Runs the command with an environment that leads it here. Its certificate files go when it does.
    private func runCommand(through deck: Deck) throws -> Supervisor.Ending {
        let trust = try ClientEnvironment.TrustFiles.writeTemporary(authority: deck.authorityPEM, to: "tapedeck")
        defer { trust.remove() }
        for port in deck.transparent { Terminal.note(port.line) }
        let profile = self.options.browser.browser == nil ? nil : try BrowserProfile(for: deck)
        defer { profile?.remove() }
        let command = try self.command(profile, trust)
        let child: (process: ChildProcess, isolation: IsolatedPorts?)
        do {
            child = try self.start(command, through: deck, trust)
        } catch let error as ChildProcess.Failure {
            Terminal.note(error.message, .error)
            _ = try Blocking.run { try await deck.stop(commandFailed: true) }
            throw ExitCode(error.exitCode)
        }
        defer { if deck.configuration.commandTime != nil { FakeClock.cleanUp() } }
        var ending = try Supervisor(deck: deck, child: child.process).run()
        ending.isolation = child.isolation
        ending.report.isIsolated = child.isolation != nil
        return ending
    }

    private func command(_ profile: BrowserProfile?, _ trust: ClientEnvironment.TrustFiles) throws -> [String] {
        let own = self.options.command
        return try profile.flatMap {
            try self.options.browser.command($0, trusting: trust.authority, own)
        } ?? own
    }

    private func start(
        _ command: [String],
        through deck: Deck,
        _ trust: ClientEnvironment.TrustFiles
    ) throws -> (process: ChildProcess, isolation: IsolatedPorts?) {
        if let child = try self.startIsolated(command, through: deck, trust) { return child }
        let environment = try self.environment(deck, trust, isIsolated: false)
        return (try ChildProcess(command, environment: environment), nil)
    }

    /// Starts the command in its own network; returns `nil` if it is not to be isolated.
    private func startIsolated(
        _ command: [String],
        through deck: Deck,
        _ trust: ClientEnvironment.TrustFiles
    ) throws -> (process: ChildProcess, isolation: IsolatedPorts?)? {
        let isolation = self.options.isolation.isolation
        // A browser is led to the deck by its switches.
        guard isolation != .never, self.options.browser.browser == nil else { return nil }
        guard Isolation.isAvailable else {
            Terminal.note("--isolate needs Linux; the command gets variables instead")
            return nil
        }
        let ports = deck.isolatedPorts(self.options.isolation.ports)
        let process: IsolatedProcess
        do {
            let environment = try self.environment(deck, trust, isIsolated: true)
            process = try IsolatedProcess(
                command,
                environment: environment,
                ports: ports,
                files: try IsolationFiles(trust: trust, environment: environment)
            )
        } catch let refusal as IsolatedProcess.Refusal {
            guard isolation == .auto else {
                throw DeckError("cannot isolate the command (\(refusal.message)); \(IsolatedProcess.Refusal.remedy)")
            }
            Terminal.note("the kernel refuses to isolate the command (\(refusal.message)); it gets variables instead")
            return nil
        }
        do {
            try Blocking.run { try await deck.serve(process.sockets) }
        } catch {
            process.cancel()
            throw error
        }
        return (try process.start(), ports)
    }

    private func environment(
        _ deck: Deck,
        _ trust: ClientEnvironment.TrustFiles,
        isIsolated: Bool
    ) throws -> [String: String] {
        let environment = ClientEnvironment.child(
            inheriting: ProcessEnvironment.variables,
            proxy: deck.proxyURL,
            baseURL: self.options.listening.reverse == nil ? nil : deck.url,
            controlURL: deck.controlURL,
            withholding: deck.configuration.passphraseVariables,
            trust: trust,
            isIsolated: isIsolated
        )
        let files = try ClientFiles.write(proxy: isIsolated ? nil : deck.proxyAddress, trust: trust)
        return self.withClock(deck, environment.merging(files) { $1 })
    }

    /// The environment of a command whose clock is not this machine's.
    private func withClock(_ deck: Deck, _ environment: [String: String]) -> [String: String] {
        guard let time = deck.configuration.commandTime else { return environment }
        var environment = environment
        environment["TAPEDECK_TIME"] = time.text
        guard let clock = FakeClock.installed else {
            Terminal.note(
                "--clock: libfaketime is not installed (apt-get install faketime); only TAPEDECK_TIME has the time"
            )
            return environment
        }
        return environment.merging(clock.variables(offset: time.offset, inheriting: environment)) { $1 }
    }

    private func serve(_ deck: Deck, log: Logger) throws -> Supervisor.Ending {
        // A deck whose folders are all read-only serves as well as any other.
        let trust = try? ClientEnvironment.TrustFiles.writeLasting(authority: deck.authorityPEM)
        DeckNotes.serving(deck, reverse: self.options.listening.reverse, bundle: trust?.bundle)
        return try Supervisor(deck: deck, child: nil) { Self.reload(deck, log: log) }.run()
    }

    /// Reads again what the running deck can take over. A mistake anywhere changes nothing.
    private static func reload(_ deck: Deck, log: Logger) {
        do {
            // With what the project file says now.
            let layers = try OptionLayers(CommandLineParts.current.arguments, environment: ProcessEnvironment.variables)
            guard let command = try layers.parse() as? any DeckCommand else { return }
            let configuration = try command.deck().complete()
            let reloading = try Blocking.run { try await deck.reload(configuration) }
            let unheeded = (try? RunningOptions.layers?.get()).map { layers.unheeded(since: $0) } ?? []
            for warning in reloading.warnings + unheeded { log.warning("\(warning)") }
            Terminal.note(reloading.summary)
        } catch {
            let problem = (error as? DeckError)?.description ?? TapedeckCommand.message(for: error)
            Terminal.note("nothing was reloaded, and the deck goes on as before: \(problem)", .error)
        }
    }

    private func status(_ ending: Supervisor.Ending) -> ExitCode {
        guard ending.exitCode == 0 else { return ExitCode(ending.exitCode) }
        if ending.report.hasLostRecording { return ExitStatus.notSaved }
        if ending.report.hasFailedRecording { return ExitStatus.cannotStart }
        if ending.report.hasLeftOut { return ExitStatus.unmatched }
        if self.hasCommand, ending.report.unmatchedCount > 0, !self.usual.allowUnmatched {
            return ExitStatus.unmatched
        }
        if self.hasCommand, ending.report.isUnused, !self.usual.allowUnused { return ExitStatus.unmatched }
        return ExitCode.success
    }
}
