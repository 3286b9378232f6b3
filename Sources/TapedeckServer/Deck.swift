package import Logging
import NIOCore
import NIOPosix
package import TapedeckCassettes
import TapedeckCore
package import TapedeckProxy
package import TapedeckTLS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A running deck: the whole of Tapedeck put together from a configuration, and taken apart again.
package final class Deck: Sendable {
    package let configuration: DeckConfiguration
    package let authority: CertificateAuthority
    /// What journals of interrupted recordings brought, by the path of their cassette.
    package let recovered: [(path: String, exchanges: Int)]
    private let store: CassetteStore
    private let context: ProxyContext
    private let listener: ProxyListener
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    private init(
        configuration: DeckConfiguration,
        authority: CertificateAuthority,
        recovered: [(path: String, exchanges: Int)],
        store: CassetteStore,
        context: ProxyContext,
        listener: ProxyListener,
        group: MultiThreadedEventLoopGroup,
        threadPool: NIOThreadPool
    ) {
        self.configuration = configuration
        self.authority = authority
        self.recovered = recovered
        self.store = store
        self.context = context
        self.listener = listener
        self.group = group
        self.threadPool = threadPool
    }

    /// The port clients connect to.
    package var port: Int { self.listener.address.port ?? self.configuration.port }

    /// What clients set as their proxy, or, for a reverse listener, as their base URL.
    package var url: String { "http://\(self.configuration.host):\(self.port)" }

    /// The certificate that clients must trust.
    package var authorityPEM: String { self.authority.certificatePEM }

    /// What the deck does with which cassettes, in a few words.
    package var title: String {
        ([self.configuration.mode.rawValue] + self.configuration.cassettes.map(\.name)).joined(separator: " ")
    }

    package var records: Bool { self.configuration.mode.records }

    /// What random choices follow from; `nil` where nothing is random.
    package var seed: UInt64? {
        self.configuration.mode.plays ? self.context.sessions.default?.report().seed : nil
    }

    // MARK: Starting

    /// Starts a deck: takes up interrupted recordings, loads the cassettes, makes the certificate authority on first
    /// use, and listens.
    ///
    /// - Throws: ``DeckError``, with what to do about it. Nothing is left running then.
    package static func start(_ configuration: DeckConfiguration, log: Logger) async throws(DeckError) -> Deck {
        do {
            return try await self.startUnwrapped(configuration, log: log)
        } catch {
            throw DeckError(error)
        }
    }

    private static func startUnwrapped(_ configuration: DeckConfiguration, log: Logger) async throws -> Deck {
        let proxy = try configuration.proxy
        for file in configuration.upstreamCAFiles where !FileContents.exists(file) {
            throw DeckError("there is no file \(file), which --upstream-ca names")
        }
        let store = Self.store
        let recovered = try Self.recover(configuration, store: store)
        if let delay = configuration.delay { _ = try DeckConfiguration.delay(delay) }
        let library = CassetteLibrary(folder: configuration.folder, store: store) { configuration.prepared($0) }
        let sessions = try Self.sessions(configuration, proxy, library: library, log: log)
        let authority: CertificateAuthority
        switch configuration.authority {
        case .folder(let folder):
            authority = try CertificateAuthority.loadOrCreate(in: try folder ?? AuthorityFolder.path())
        case .ephemeral: authority = try CertificateAuthority.ephemeral()
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        let threadPool = NIOThreadPool(numberOfThreads: 2)
        threadPool.start()
        do {
            let context = ProxyContext(
                configuration: proxy,
                sessions: sessions,
                leaves: LeafCache(authority: authority),
                threadPool: threadPool,
                log: log
            )
            let listener = try await Self.listen(configuration, context: context, group: group)
            let isWatching = library.watch { Self.take($0, into: sessions, log: log) }
            if !isWatching { log.warning("cannot watch the cassettes: changes to them are not noticed") }
            return Deck(
                configuration: configuration,
                authority: authority,
                recovered: recovered,
                store: store,
                context: context,
                listener: listener,
                group: group,
                threadPool: threadPool
            )
        } catch {
            if let session = sessions.default { _ = try? await session.stopRecording(store: store) }
            try? await threadPool.shutdownGracefully()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Cassettes on disk.
    package static let store = CassetteStore { SHA256.hexDigest(of: $0) }

    private static func recover(
        _ configuration: DeckConfiguration,
        store: CassetteStore
    ) throws -> [(path: String, exchanges: Int)] {
        try configuration.cassettes.compactMap { cassette in
            do {
                return try store.recover(cassette).map { (cassette.path, $0.exchanges) }
            } catch let error as FileError {
                throw DeckError("cannot take up the interrupted recording of \(cassette.path): \(error)")
            }
        }
    }

    /// The sessions, with the default one as the command line wants it.
    private static func sessions(
        _ configuration: DeckConfiguration,
        _ proxy: ProxyConfiguration,
        library: CassetteLibrary,
        log: Logger
    ) throws -> SessionDirectory {
        var settings = SessionDirectory.Configuration(allowsDialling: configuration.mode.dialsOut)
        settings.allowsPassthrough = configuration.allowsPassthrough
        settings.recordedBodyMemory = proxy.recordedBodyMemory
        let target = configuration.mode.records ? configuration.cassettes.first : nil
        // A cassette that is to be recorded need not exist yet; one that does must be sound, as it is not to be lost.
        let tape = try library.tape(of: configuration.cassettes, mayBeMissing: target)
        var own = Session.Settings(mode: configuration.mode)
        own.cassettes = configuration.cassettes
        // Short enough to be typed.
        own.seed = configuration.seed ?? UInt64.random(in: 1...999_999)
        own.allowsPassthrough = configuration.mode == .replay && configuration.allowsPassthrough
        let session = Session(own, tape: tape)
        let selection = try DeckSelection(configuration, tape: tape)
        try selection.apply(to: session)
        for line in selection.idleProfiles(tape) { log.warning("\(line)") }
        if let target {
            do {
                try session.startRecording(
                    into: target,
                    mode: configuration.mode,
                    bodyMemory: proxy.recordedBodyMemory,
                    log: log
                )
            } catch let error as FileError {
                throw DeckError("cannot record into \(target.path): \(error); choose another folder with --cassettes")
            }
        }
        return SessionDirectory(settings, library: library, default: session, log: log)
    }

    private static func listen(
        _ configuration: DeckConfiguration,
        context: ProxyContext,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ProxyListener {
        do {
            return try await ProxyListener.start(
                host: configuration.host,
                port: configuration.port,
                context: context,
                group: group
            )
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw DeckError(
                "port \(configuration.port) is in use; stop what uses it, or choose another with --port (0 takes a free one)"
            )
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw DeckError("cannot listen on \(configuration.host) port \(configuration.port): \(reason)")
        }
    }

    // MARK: Stopping

    /// Finishes what is in flight, saves what was recorded, and ends.
    ///
    /// - Throws: ``DeckError`` when the recording cannot be saved. Its journal stays, and the next start takes it up.
    package func stop() async throws(DeckError) -> DeckReport {
        // First, so that what is saved here is not taken for somebody else's change.
        let sessions = self.context.sessions
        sessions.library.stopWatching()
        await self.listener.stop(grace: .seconds(Int64(self.configuration.grace)))
        await sessions.endAll()
        let failure = sessions.default?.recordingStatus?.failure
        let saved: Result<CassetteStore.Saved?, any Error>
        do {
            saved = .success(try await sessions.default?.stopRecording(store: self.store))
        } catch {
            saved = .failure(error)
        }
        try? await self.threadPool.shutdownGracefully()
        try? await self.group.shutdownGracefully()
        do {
            return DeckReport(
                session: sessions.default?.report(),
                connectionsOpened: self.context.connectionsOpened,
                saved: try saved.get(),
                recordingFailure: failure,
                cassettes: self.configuration.cassettes
            )
        } catch {
            let journal = self.configuration.cassettes.first?.journalFolder ?? ""
            throw DeckError(
                "the recording could not be saved: \(error)\nwhat was recorded is in \(journal); the next start tries again",
                kind: .notSaved
            )
        }
    }
}

/// What a deck did.
package struct DeckReport: Sendable {
    /// Of the session of requests that name none; `nil` where every request must name one.
    package var session: SessionReport?
    /// Connections opened to origins.
    package var connectionsOpened: Int
    package var saved: CassetteStore.Saved?
    /// What ended the recording early, if anything did.
    package var recordingFailure: String?
    package var cassettes: [CassetteLocation]

    package var unmatchedCount: Int { self.session?.unmatchedCount ?? 0 }
}
