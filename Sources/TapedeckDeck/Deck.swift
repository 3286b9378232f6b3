package import Logging
import NIOCore
import NIOPosix
package import TapedeckCassettes
import TapedeckControlServer
import TapedeckCore
import TapedeckLocking
package import TapedeckMaintenance
import TapedeckProxy
import TapedeckSessions
package import TapedeckTLS

/// A running deck: creates all of Tapedeck's parts from a configuration, and stops them.
package final class Deck: Sendable {
    package let configuration: DeckConfiguration
    package let authority: CertificateAuthority
    /// A journal of an interrupted recording that was saved: the path of the cassette, the exchanges that went into it, and
    /// lines on the sets and body files that were on tape before.
    package typealias Recovered = (path: String, exchanges: Int, effect: [String])

    /// The recordings that were recovered at the start.
    package let recovered: [Recovered]
    private let store: CassetteStore
    /// The token of the deck, which is valid for every session. Always set if other machines can reach the deck.
    package var token: DeckToken? { self.current.withLock { $0.token } }
    /// The current settings, which may have been reloaded; see ``reload(_:)``.
    let current: Locked<Current>
    let log: Logger
    let context: ProxyContext
    let listener: ProxyListener
    /// The ports for clients that believe they talk to the origin itself.
    package let transparent: [TransparentListening]
    let control: ControlServer?
    private let idleSessions: IdleSessions
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    private init(
        configuration: DeckConfiguration,
        authority: CertificateAuthority,
        recovered: [Recovered],
        store: CassetteStore,
        current: Locked<Current>,
        log: Logger,
        context: ProxyContext,
        listener: ProxyListener,
        transparent: [TransparentListening],
        control: ControlServer?,
        idleSessions: IdleSessions,
        group: MultiThreadedEventLoopGroup,
        threadPool: NIOThreadPool
    ) {
        self.configuration = configuration
        self.authority = authority
        self.recovered = recovered
        self.store = store
        self.current = current
        self.log = log
        self.context = context
        self.listener = listener
        self.transparent = transparent
        self.control = control
        self.idleSessions = idleSessions
        self.group = group
        self.threadPool = threadPool
    }

    /// The port clients connect to.
    package var port: Int { self.listener.address.port ?? self.configuration.port }

    private var address: ListenerAddress { ListenerAddress(host: self.configuration.host, port: self.port) }

    /// The proxy URL for clients or, for a reverse listener, their base URL.
    package var url: String { self.address.url }

    /// The host, without brackets, and the port of ``url``, for clients that are given them apart.
    package var proxyAddress: (host: String, port: Int) { (self.address.clientHost, self.port) }

    /// The proxy URL for clients that only have a proxy setting: with the key of the default session, if every request
    /// must have one. It gives no control.
    package var proxyURL: String { self.proxyURL(token: self.context.sessions.default?.token ?? "") }

    /// Returns the proxy URL with a word in place of the token.
    package func proxyURL(token: String) -> String {
        guard self.configuration.requiresToken, let session = self.context.sessions.default else { return self.url }
        return self.address.url(session: session.id, token: token)
    }

    /// The URL of the control API; `nil` without one.
    package var controlURL: String? {
        self.control.map { ListenerAddress(host: self.configuration.host, port: $0.port).url }
    }

    /// The certificate that clients must trust.
    package var authorityPEM: String { self.authority.certificatePEM }

    /// A short text with the mode and the cassettes.
    package var title: String {
        ([self.configuration.command] + self.configuration.cassettes.map(\.name)).joined(separator: " ")
    }

    package var records: Bool { self.configuration.mode.records }

    /// How far the recording is saved, such as "83 of 200"; `nil` before saving begins.
    package var savedText: String? { self.store.progress?.text }

    /// Returns the usage by all sessions so far, as the report of a run that ends now; see
    /// ``DeckConfiguration/talliesUsage``.
    ///
    /// - Parameters:
    ///   - exitCode: the exit code of the run.
    ///   - incomplete: the reason why it is not a full run, if known.
    package func report(mode: String, exitCode: Int32, incomplete: String?) -> RunReport {
        let sessions = self.context.sessions
        var report = RunReport(
            mode: mode,
            command: nil,
            exitCode: Int(exitCode),
            incomplete: incomplete,
            written: Instant.now.rfc3339,
            usage: sessions.usage
        )
        (report.played, report.unmatched) = (sessions.tally.played, sessions.tally.unmatchedCount)
        return report
    }

    /// The seed of random choices; `nil` if nothing is random.
    package var seed: UInt64? {
        self.configuration.mode.plays ? self.context.sessions.default?.report().seed : nil
    }

    // MARK: Starting

    /// Starts a deck: recovers interrupted recordings, loads the cassettes, creates the certificate authority on first
    /// use, and listens.
    ///
    /// - Throws: ``DeckError``, with advice. Nothing is left running then.
    package static func start(_ configuration: DeckConfiguration, log: Logger) async throws(DeckError) -> Deck {
        do {
            return try await self.startUnwrapped(configuration, log: log)
        } catch {
            throw DeckError(error)
        }
    }

    private static func startUnwrapped(_ configuration: DeckConfiguration, log: Logger) async throws -> Deck {
        let project = try configuration.project.load()
        let given = configuration
        let configuration = configuration.over(project)
        try configuration.check()
        let token = configuration.effectiveToken
        let current = Locked(Current(given: given, configuration: configuration, token: token))
        var proxy = try configuration.proxy(token: token, project)
        try configuration.checkUpstreamCAFiles()
        if let path = project.path { log.info("the settings of \(path) hold") }
        var store = Self.store
        store.keptHeaders = configuration.record.keptHeaders ?? .usual
        store.surroundings = configuration.rules.surroundings
        store.isStrict = configuration.isStrict
        store.answersAnyBody = configuration.answersAnyBody
        store.progress = SavingProgress()
        let redaction = configuration.redaction(project)
        store.takeUpRedactor = { try redaction.redactor(for: $0, knowing: $1, firstNumber: $2) }
        let recovered = try Self.recover(configuration, store: store, log: log)
        let variables = VariableAccess(configuration)
        let library = CassetteLibrary(
            folder: configuration.folder,
            store: store,
            takesPaths: configuration.takesPaths,
            prepare: { cassette in
                let (cassette, refused) = variables.restricted(cassette)
                for variable in refused {
                    log.warning(
                        "a cassette names an environment variable that it may not use, so a made-up value is played",
                        metadata: [
                            "cassette": "\(cassette.name)", "variable": "\(variable)",
                            "remedy": "start the deck with --secret-environment \(variable)",
                        ]
                    )
                }
                return current.withLock { $0.configuration }.prepared(cassette)
            },
            admit: { cassette throws(CassetteError) in
                try current.withLock { $0.configuration }.checkAge(of: cassette, log: log)
            }
        )
        let sessions = try Self.sessions(configuration, proxy, project, library: library, log: log)
        variables.endStart()
        try configuration.checkAgeOfTarget(in: library, log: log)
        let authority: CertificateAuthority
        switch configuration.authority {
        case .folder(let folder):
            authority = try CertificateAuthority.loadOrCreate(in: try folder ?? AuthorityFolder.path())
        case .ephemeral: authority = try CertificateAuthority.ephemeral()
        }
        proxy.localSite = { Self.localSite(authority, $0) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        let threadPool = NIOThreadPool(numberOfThreads: 2)
        threadPool.start()
        var listener: ProxyListener?
        do {
            let context = ProxyContext(
                configuration: proxy,
                sessions: sessions,
                leaves: LeafCache(authority: authority) { [now = proxy.now] in now().seconds },
                threadPool: threadPool,
                log: log
            )
            let started = try await Self.listen(configuration, context: context, group: group)
            listener = started
            let transparent = try await Self.openTransparentPorts(
                configuration,
                listener: started,
                sessions: sessions,
                log: log
            )
            let control = try await Self.control(
                configuration,
                token: token,
                authority: authority,
                context: context,
                listener: started,
                threadPool: threadPool,
                log: log
            )
            if configuration.watchesCassettes, !library.watch({ Self.take($0, into: sessions, log: log) }) {
                log.warning("cannot watch the cassettes: changes to them are not noticed")
            }
            return Deck(
                configuration: configuration,
                authority: authority,
                recovered: recovered,
                store: store,
                current: current,
                log: log,
                context: context,
                listener: started,
                transparent: transparent,
                control: control,
                idleSessions: IdleSessions(ending: sessions),
                group: group,
                threadPool: threadPool
            )
        } catch {
            await listener?.stop(grace: .zero)
            if let session = sessions.default { _ = try? await session.stopRecording(store: store) }
            try? await threadPool.shutdownGracefully()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Cassettes on disk.
    package static let store = CassetteStore.onDisk

    private static func recover(
        _ configuration: DeckConfiguration,
        store: CassetteStore,
        log: Logger
    ) throws -> [Recovered] {
        try configuration.cassettes.compactMap { cassette in
            do {
                return try store.recover(cassette).map { (cassette.path, $0.exchanges, $0.effect.lines) }
            } catch let error as FileError {
                // The saved part can be played anyway, and the journal waits.
                guard configuration.mode.records else {
                    log.warning(
                        "cannot take up the interrupted recording of \(cassette.path), which stays where it is: \(error)"
                    )
                    return nil
                }
                throw DeckError("cannot take up the interrupted recording of \(cassette.path): \(error)")
            }
        }
    }

    // MARK: Stopping

    /// Finishes requests in flight, saves recordings, and ends.
    ///
    /// - Parameter commandFailed: true if the command that ran through the deck failed; a recording removes nothing then.
    /// - Throws: ``DeckError`` if the recording cannot be saved. Its journal stays, and the next start saves it.
    package func stop(commandFailed: Bool = false) async throws(DeckError) -> DeckReport {
        // First, so that this save is not mistaken for another program's change.
        let sessions = self.context.sessions
        sessions.library.stopWatching()
        await self.idleSessions.stop()
        // Both at once, because each may wait for clients. Work that the control API starts meanwhile ends below.
        async let controlStopped: Void? = self.control?.stop()
        async let quietEnded: Void = sessions.endQuiet()
        await self.listener.stop(grace: .seconds(Int64(self.grace)))
        await controlStopped
        await quietEnded
        async let othersEnded: Void = sessions.endAll()
        let failure = sessions.default?.recordingStatus?.failure
        let unsearched = sessions.default?.unsearchedBodies ?? (0, [])
        let saved: Result<CassetteStore.Saved?, any Error>
        do {
            saved = .success(
                try await sessions.default?.stopRecording(
                    store: self.store,
                    commandFailed: commandFailed,
                    cleans: self.configuration.cleans
                )
            )
        } catch {
            saved = .failure(error)
        }
        await othersEnded
        // A run that fails although all is answered has got a wrong answer.
        let isMisled = commandFailed && sessions.default?.counts.unmatched == 0
        let learned = isMisled ? nil : await sessions.default?.saveLessons(self.store)
        let usage = self.configuration.talliesUsage ? sessions.usage : []
        try? await self.threadPool.shutdownGracefully()
        try? await self.group.shutdownGracefully()
        let session = sessions.default?.report()
        let rules = [session?.unrecorded, sessions.tally.unrecorded].compactMap { $0 }
        let ruled = rules.reduce(0) { $0 + $1.passedTunnels + $1.blockedCount + $1.refusedCount }
        do {
            return DeckReport(
                session: session,
                others: sessions.tally,
                connectionsOpened: self.context.connectionsOpened,
                connectionsFailed: self.context.connectionsFailed,
                hadRequests: self.context.requestCount + ruled > 0,
                untrustedHosts: self.context.untrustedHosts,
                saved: try saved.get(),
                recordingFailure: failure,
                unsearched: unsearched,
                learned: learned ?? SavedLessons(),
                cassettes: self.configuration.cassettes,
                usage: usage
            )
        } catch let error as UnknownSecretsError {
            throw DeckError(error)
        } catch {
            throw DeckError("the recording could not be saved: \(error)\n\(self.journalNote)", kind: .notSaved)
        }
    }

    /// The place of a recording that could not be saved.
    private var journalNote: String {
        guard let folder = self.configuration.cassettes.first?.journalFolder else { return "" }
        return RecordingJournal.exists(folder: folder)
            ? "what was recorded is in \(folder); the next start tries again"
            : "somebody removed its journal \(folder), so what was recorded is lost"
    }
}
