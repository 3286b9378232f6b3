import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckLocking
import TapedeckTLS

/// The certificates that origins are verified against. Reading the system's takes 30 ms and more, so it happens at
/// the first TLS connection to an origin, away from the event loops, and never in `replay`.
final class UpstreamTrust: Sendable {
    private let configuration: ProxyConfiguration
    private let threadPool: NIOThreadPool
    /// Read before anybody asked.
    private let ready = Locked<TLSClientContext?>(nil)
    /// Set by the first caller; the others wait for the same result.
    private let loaded = Locked<EventLoopFuture<TLSClientContext>?>(nil)

    init(configuration: ProxyConfiguration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.threadPool = threadPool
    }

    /// Reads the certificates now.
    ///
    /// - Throws: what reading them failed with.
    func load() async throws {
        let (files, texts) = (self.configuration.upstreamCAFiles, self.configuration.upstreamCAPEM)
        let context = try await self.threadPool.runIfActive {
            try TLSClientContext(extraCAFiles: files, extraCAPEM: texts)
        }
        self.ready.withLock { $0 = context }
    }

    func context(on eventLoop: any EventLoop) -> EventLoopFuture<TLSClientContext> {
        if let ready = self.ready.withLock({ $0 }) { return eventLoop.makeSucceededFuture(ready) }
        let files = self.configuration.upstreamCAFiles
        let texts = self.configuration.upstreamCAPEM
        let future = self.loaded.withLock { loaded in
            if let loaded { return loaded }
            let future = self.threadPool.runIfActive(eventLoop: eventLoop) {
                try TLSClientContext(extraCAFiles: files, extraCAPEM: texts)
            }
            loaded = future
            return future
        }
        // An unreadable file may be readable at the next try.
        future.whenFailure { _ in
            self.loaded.withLock { loaded in
                if loaded === future { loaded = nil }
            }
        }
        return future.hop(to: eventLoop)
    }

    /// The client certificate for an origin or a proxy, if there is one.
    func certificate(for origin: Origin) -> ClientCertificate? {
        self.configuration.clientCertificates
            .first { $0.hosts.matches(origin) }?.certificate
    }

    func verifies(_ host: String) -> Bool {
        !self.configuration.insecureHosts.contains(host)
    }
}
