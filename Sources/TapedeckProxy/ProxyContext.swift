package import Logging
package import NIOCore
package import NIOPosix
import Synchronization
import TapedeckCore
import TapedeckLocking
package import TapedeckTLS

/// What all connections of a proxy share. Immutable but for its counters.
package final class ProxyContext: Sendable {
    package let configuration: ProxyConfiguration
    package let sessions: SessionDirectory
    private let leaves: LeafCache
    /// Made at the first tunnel, since it takes milliseconds that a run without TLS need not wait for.
    private let interceptionContext = Locked<TLSServerContext?>(nil)
    /// Certificates that origins are verified against.
    let trust: UpstreamTrust
    let threadPool: NIOThreadPool
    let log: Logger
    /// Whether each answer off the tape is worth a line; asked once, as the level of a logger stays what it is.
    let logsAnswers: Bool
    /// Connections opened to origins so far: 0 in `replay`, always.
    private let opened = Atomic<Int>(0)
    /// Where this program listens itself.
    let own = OwnAddresses()

    package init(
        configuration: ProxyConfiguration,
        sessions: SessionDirectory,
        leaves: LeafCache,
        threadPool: NIOThreadPool,
        log: Logger
    ) {
        self.configuration = configuration
        self.sessions = sessions
        self.leaves = leaves
        self.trust = UpstreamTrust(configuration: configuration, threadPool: threadPool)
        self.threadPool = threadPool
        self.log = log
        self.logsAnswers = log.logLevel <= .debug
    }

    /// The server side of interception.
    func interception() throws -> TLSServerContext {
        try self.interceptionContext.withLock { context in
            if let context { return context }
            let made = try TLSServerContext(leaves: self.leaves)
            context = made
            return made
        }
    }

    package var connectionsOpened: Int { self.opened.load(ordering: .relaxed) }

    func noteConnectionOpened() {
        self.opened.wrappingAdd(1, ordering: .relaxed)
    }

    /// Nothing is ever forwarded to an address noted here, whatever a request calls it: to be called for every port
    /// that this program listens on, such as that of the control API.
    package func noteOwn(_ address: SocketAddress) {
        self.own.add(address)
    }
}
