package import NIOPosix
package import TapedeckCore
package import TapedeckSessions

/// The parts of a deck that the control API shows and controls.
package struct ControlledDeck: Sendable {
    package var sessions: SessionDirectory
    package var version: String
    /// The certificate that clients must trust.
    package var authorityPEM: String
    package var authorityDER: [UInt8]
    /// The day it expires, as people read it.
    package var authorityExpires: String
    /// The proxy URL for clients, such as `http://127.0.0.1:4747`.
    package var proxyURL: String
    /// The origin of requests that name none, if the deck is a base URL.
    package var reverse: String?
    /// The thread pool for file access.
    package var threadPool: NIOThreadPool
    /// The metrics, in the text format of Prometheus; empty without metrics.
    package var metrics: @Sendable () -> String = { "" }
    /// Reads and writes files of other tools; `nil` for a deck that does not.
    package var foreignFiles: ForeignFiles?
    /// Opens a port of a session's own, 0 for a free one, where requests that name no origin are for the one given;
    /// returns the port that was taken. It closes when the session ends.
    package var openPort: @Sendable (_ session: Session, _ port: Int, _ reverse: Origin?) async throws -> Int

    package init(
        sessions: SessionDirectory,
        version: String,
        authorityPEM: String,
        authorityDER: [UInt8],
        authorityExpires: String,
        proxyURL: String,
        reverse: String? = nil,
        threadPool: NIOThreadPool,
        openPort: @escaping @Sendable (_ session: Session, _ port: Int, _ reverse: Origin?) async throws -> Int
    ) {
        self.sessions = sessions
        self.version = version
        self.authorityPEM = authorityPEM
        self.authorityDER = authorityDER
        self.authorityExpires = authorityExpires
        self.proxyURL = proxyURL
        self.reverse = reverse
        self.threadPool = threadPool
        self.openPort = openPort
    }
}
