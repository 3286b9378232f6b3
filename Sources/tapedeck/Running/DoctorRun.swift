import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckControlClient
import TapedeckCore
import TapedeckDeck
import TapedeckProxy

/// Runs a command for `tapedeck doctor`, and says which of its requests a bare `--` reaches.
struct DoctorRun {
    let command: [String]
    /// More ports of origins.
    let ports: [Int]
    let printsJSON: Bool

    /// The JSON that `--json` prints.
    private struct Finding: Encodable {
        struct Origin: Encodable {
            var origin: String
            var requests: Int
        }

        var byVariables: [Origin]
        var pastTheProxy: [Origin]
        /// Hosts whose clients do not trust the certificate authority.
        var untrusted: [String]
    }

    /// - Throws: ``ExitStatus/found`` if a request went past the proxy, or if a client does not trust the deck.
    func run() throws {
        var configuration = DeckConfiguration.passthrough()
        configuration.port = 0
        configuration.controlPort = nil
        let log = Logger(label: "tapedeck") { TerminalLogHandler(label: $0, logLevel: .error) }
        InheritedFiles.note()
        OpenFiles.raise()
        let deck = try Signals.endingProcess { [configuration] in try await Deck.start(configuration, log: log) }
        let trust = try ClientEnvironment.TrustFiles.writeTemporary(authority: deck.authorityPEM, to: "tapedeck")
        defer { trust.remove() }
        let trial = try ClientTrial(deck)
        let child: ChildProcess
        do {
            child = try self.start(deck, trust, trial)
        } catch let failure as ChildProcess.Failure {
            _ = try Blocking.run { try await deck.stop(commandFailed: true) }
            throw DeckError(failure.message, kind: .cannotStart)
        }
        let ending = try Supervisor(deck: deck, child: child).run()
        if let signal = ending.signal { throw ExitCode(128 + signal) }
        if ending.exitCode != 0 { Terminal.note("doctor: the command ended with exit code \(ending.exitCode)") }
        try self.print(trial)
    }

    private func start(_ deck: Deck, _ trust: ClientEnvironment.TrustFiles, _ trial: ClientTrial) throws -> ChildProcess
    {
        let environment = ClientEnvironment.child(
            inheriting: ProcessEnvironment.variables,
            proxy: deck.proxyURL,
            baseURL: nil,
            controlURL: nil,
            trust: trust
        )
        .merging(try ClientFiles.write(proxy: deck.proxyAddress, trust: trust)) { $1 }
        do {
            let process = try IsolatedProcess(
                self.command,
                environment: environment,
                ports: deck.isolatedPorts(self.ports),
                files: try IsolationFiles(trust: trust, coversRoots: false)
            )
            do {
                try Blocking.run { try await trial.serve(process.sockets) }
            } catch {
                process.cancel()
                throw error
            }
            return try process.start()
        } catch let refusal as IsolatedProcess.Refusal {
            Terminal.note(
                "doctor: the kernel refuses to isolate the command (\(refusal.message)), so that requests past the proxy "
                    + "are not seen",
                .warning
            )
            return try ChildProcess(self.command, environment: environment)
        }
    }

    private func print(_ trial: ClientTrial) throws {
        let rows =
            trial.byVariables.map { [$0.origin, Self.count($0.requests), "reached by the variables"] }
            + trial.pastTheProxy.map { [$0.origin, Self.count($0.requests), "past the proxy"] }
            + trial.untrusted.map { [$0, "", "the client does not trust the certificate authority"] }
        let value = Finding(
            byVariables: trial.byVariables.map { Finding.Origin(origin: $0.origin, requests: $0.requests) },
            pastTheProxy: trial.pastTheProxy.map { Finding.Origin(origin: $0.origin, requests: $0.requests) },
            untrusted: trial.untrusted
        )
        if self.printsJSON {
            Terminal.print(try ControlJSON.text(value))
        } else {
            for line in TextTable.aligned(rows) { Terminal.show(line) }
        }
        var remedies: [String] = []
        if !trial.pastTheProxy.isEmpty {
            remedies.append(
                "past the proxy: --isolate always reaches these; `tapedeck help trusting-the-ca` has the settings of each client"
            )
        }
        if !trial.untrusted.isEmpty {
            remedies.append(
                "not trusted: `tapedeck ca` says what to set; --isolate always adds it to the system's roots"
            )
        }
        for remedy in remedies { Terminal.note("doctor: \(remedy)") }
        guard remedies.isEmpty else { throw ExitStatus.found }
        Terminal.note(
            rows.isEmpty
                ? "doctor: the command sent no request, or to other ports than 80, 443 and those of --ports"
                : "doctor: a bare -- reaches every request of the command"
        )
    }

    private static func count(_ requests: Int) -> String { requests == 1 ? "1 request" : "\(requests) requests" }
}
