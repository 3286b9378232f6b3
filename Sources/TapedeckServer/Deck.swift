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
    /// `nil` in modes that play nothing.
    private let watcher: CassetteWatcher?
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    private init(
        configuration: DeckConfiguration,
        authority: CertificateAuthority,
        recovered: [(path: String, exchanges: Int)],
        store: CassetteStore,
        context: ProxyContext,
        listener: ProxyListener,
        watcher: CassetteWatcher?,
        group: MultiThreadedEventLoopGroup,
        threadPool: NIOThreadPool
    ) {
        self.configuration = configuration
        self.authority = authority
        self.recovered = recovered
        self.store = store
        self.context = context
        self.listener = listener
        self.watcher = watcher
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
    package var seed: UInt64? { self.configuration.mode.plays ? self.context.session.report().seed : nil }

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
        let watcher = configuration.mode.plays ? CassetteWatcher(configuration.cassettes, store: store) : nil
        let cassettes = try Self.load(configuration, store: store)
        let session = Session(
            mode: configuration.mode,
            tape: Tape(configuration.prepared(cassettes)),
            // Short enough to be typed.
            seed: configuration.seed ?? UInt64.random(in: 1...999_999),
            allowsPassthrough: configuration.mode == .replay && configuration.allowsPassthrough
        )
        let selection = try DeckSelection(configuration, tape: session.tape)
        try selection.apply(to: session)
        for line in selection.idleProfiles(session.tape) { log.warning("\(line)") }
        let authority: CertificateAuthority
        switch configuration.authority {
        case .folder(let folder):
            authority = try CertificateAuthority.loadOrCreate(in: try folder ?? AuthorityFolder.path())
        case .ephemeral: authority = try CertificateAuthority.ephemeral()
        }
        let recorder = try Self.recorder(configuration, bodyMemory: proxy.recordedBodyMemory, log: log)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        let threadPool = NIOThreadPool(numberOfThreads: 2)
        threadPool.start()
        do {
            let context = ProxyContext(
                configuration: proxy,
                session: session,
                recorder: recorder,
                leaves: LeafCache(authority: authority),
                threadPool: threadPool,
                log: log
            )
            let listener = try await Self.listen(configuration, context: context, group: group)
            let isWatching = watcher?.start(with: cassettes) { change in
                Self.replay(change, configuration, selection: selection, in: session, log: log)
            }
            if isWatching == false { log.warning("cannot watch the cassettes: changes to them are not noticed") }
            return Deck(
                configuration: configuration,
                authority: authority,
                recovered: recovered,
                store: store,
                context: context,
                listener: listener,
                watcher: watcher,
                group: group,
                threadPool: threadPool
            )
        } catch {
            if let recorder, let cassette = configuration.cassettes.first {
                try? await recorder.close()
                _ = try? store.finish(recorder.journal, to: cassette, expecting: 0)
            }
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

    private static func load(_ configuration: DeckConfiguration, store: CassetteStore) throws -> [Cassette] {
        guard configuration.mode.records, let target = configuration.cassettes.first else {
            return try configuration.cassettes.map(store.load)
        }
        // A cassette that is to be recorded need not exist yet; one that does must be sound, as it is not to be lost.
        let first = FileContents.exists(target.path) ? [try store.load(target)] : []
        return first + (try configuration.cassettes.dropFirst().map(store.load))
    }

    private static func recorder(
        _ configuration: DeckConfiguration,
        bodyMemory: Int,
        log: Logger
    ) throws -> Recorder? {
        guard configuration.mode.records, let cassette = configuration.cassettes.first else { return nil }
        do {
            try FileContents.makeFolder(cassette.folder)
            if FileContents.exists(cassette.path), !FileContents.isWritable(cassette.path) {
                throw FileError("write", cassette.path, code: EACCES)
            }
            let journal = try RecordingJournal(
                folder: cassette.journalFolder,
                purpose: configuration.mode == .record ? .record : .append
            )
            return Recorder(journal: journal, bodyMemory: bodyMemory, log: log)
        } catch let error as FileError {
            throw DeckError("cannot record into \(cassette.path): \(error); choose another folder with --cassettes")
        }
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
        self.watcher?.stop()
        await self.listener.stop(grace: .seconds(Int64(self.configuration.grace)))
        let saved: Result<CassetteStore.Saved, any Error>?
        if let recorder = self.context.recorder, let cassette = self.configuration.cassettes.first {
            try? await recorder.close()
            saved = Result { try self.store.finish(recorder.journal, to: cassette, expecting: recorder.recorded) }
        } else {
            saved = nil
        }
        try? await self.threadPool.shutdownGracefully()
        try? await self.group.shutdownGracefully()
        do {
            return DeckReport(
                session: self.context.session.report(),
                connectionsOpened: self.context.connectionsOpened,
                saved: try saved?.get(),
                recordingFailure: self.context.recorder?.failure,
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
    package var session: SessionReport
    /// Connections opened to origins.
    package var connectionsOpened: Int
    package var saved: CassetteStore.Saved?
    /// What ended the recording early, if anything did.
    package var recordingFailure: String?
    package var cassettes: [CassetteLocation]

    package var unmatchedCount: Int { self.session.unmatchedCount }
}
