package import Logging
package import NIOCore
package import NIOPosix
import Synchronization
import TapedeckCore
import TapedeckLocking
package import TapedeckSessions
package import TapedeckTLS

/// The state that all connections of a proxy share. Immutable except its counters and the replaceable configuration.
package final class ProxyContext: Sendable {
    private let settings: Locked<ProxySettings>
    /// A token that fits every session.
    let deckToken: CurrentToken
    /// The counters.
    let metrics = DeckMetrics()
    package let sessions: SessionDirectory
    private let leaves: LeafCache
    /// Created for the first tunnel, because that takes milliseconds, which a run without TLS saves.
    private let interceptionContext = Locked<TLSServerContext?>(nil)
    let threadPool: NIOThreadPool
    let log: Logger
    /// True if each answer from the tape is logged; read once, because the level of a logger does not change.
    let logsAnswers: Bool
    /// Connections opened to origins so far: 0 in `replay`, always.
    private let opened = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    /// Clients that do not trust the certificate authority.
    let untrusting = UntrustingClients()
    /// The addresses on which this program listens.
    let own = OwnAddresses()

    package init(
        configuration: ProxyConfiguration,
        sessions: SessionDirectory,
        leaves: LeafCache,
        threadPool: NIOThreadPool,
        log: Logger
    ) {
        self.settings = Locked(ProxySettings(configuration, threadPool: threadPool))
        self.deckToken = CurrentToken(configuration.deckToken)
        self.sessions = sessions
        self.leaves = leaves
        self.threadPool = threadPool
        self.log = log
        self.logsAnswers = log.logLevel <= .debug
    }

    /// The current configuration. Take a snapshot if it must not change.
    package var configuration: ProxyConfiguration { self.current.configuration }

    /// Certificates that origins are verified against.
    var trust: UpstreamTrust { self.current.trust }

    /// All that may be replaced; another object each time that it is.
    var current: ProxySettings { self.settings.withLock { $0 } }

    /// Uses another configuration for new connections, and for new exchanges of existing ones. Certificates of
    /// authorities are read now, so that a mistake in them changes nothing.
    ///
    /// - Throws: what reading the certificates failed with.
    package func replace(_ configuration: ProxyConfiguration, checksTrust: Bool) async throws {
        let made = ProxySettings(configuration, threadPool: self.threadPool)
        if checksTrust { try await made.trust.load() }
        self.settings.withLock { $0 = made }
        if configuration.deckToken != self.deckToken.value { self.deckToken.replace(configuration.deckToken) }
    }

    var leafCertificatesMinted: Int { self.leaves.minted }

    /// The server side of interception.
    func interception() throws -> TLSServerContext {
        try self.interceptionContext.withLock { context in
            if let context { return context }
            let made = try TLSServerContext(leaves: self.leaves)
            context = made
            return made
        }
    }

    /// The hosts for which clients seem not to trust the certificate authority; see ``UntrustingClients``.
    package var untrustedHosts: [String] { self.untrusting.hosts }

    /// The number of requests that reached a session or were refused, all sessions together.
    package var requestCount: Int {
        let totals = self.metrics.totals
        return LoopMetrics.Mode.allCases.reduce(0) { sum, mode in
            sum + LoopMetrics.Outcome.allCases.reduce(0) { $0 + totals.requests(mode, $1) }
        }
    }

    package var connectionsOpened: Int { self.opened.load(ordering: .relaxed) }
    /// The number of connections to origins that could not be opened.
    package var connectionsFailed: Int { self.failed.load(ordering: .relaxed) }

    func noteConnectionOpened() {
        self.opened.wrappingAdd(1, ordering: .relaxed)
    }

    /// Notes that the last connection was not opened after all.
    func noteConnectionFailed() {
        self.opened.wrappingSubtract(1, ordering: .relaxed)
        self.failed.wrappingAdd(1, ordering: .relaxed)
    }

    /// Excludes an address from forwarding, whatever a request calls it: call this for every port on which this program
    /// listens, such as that of the control API.
    package func noteOwn(_ address: SocketAddress) {
        self.own.add(address)
    }
}
