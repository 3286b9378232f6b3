import Logging
import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckControlServer
import TapedeckPlatform
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS

extension Deck {
    /// The version of this program.
    package static let version = "0.1.0"

    /// The event loop of the control APIs of all decks in this process: no traffic of a proxy delays it, and further decks
    /// need no further thread. It is never shut down.
    private static let controlLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Starts the control API, unless it is disabled, and prevents the proxy from forwarding to it.
    static func control(
        _ configuration: DeckConfiguration,
        token: DeckToken?,
        authority: CertificateAuthority,
        context: ProxyContext,
        listener: ProxyListener,
        threadPool: NIOThreadPool,
        log: Logger
    ) async throws -> ControlServer? {
        guard let port = configuration.controlPort else { return nil }
        let host = ListenerAddress.bare(configuration.host)
        var settings = ControlConfiguration()
        settings.host = host
        settings.port = port
        settings.token = token?.value
        settings.serverNames = configuration.hostNames
        settings.archiveLimit = configuration.limits.archive
        settings.usesOwnThread = configuration.controlHasOwnThread
        // The only client is this process, whose other tasks may keep an answer waiting for long.
        if configuration.controlHasOwnThread { settings.idleTimeout = .seconds(3_600) }
        var deck = ControlledDeck(
            sessions: context.sessions,
            version: self.version,
            authorityPEM: authority.certificatePEM,
            authorityDER: authority.certificateDER,
            authorityExpires: authority.expires,
            proxyURL: ListenerAddress(host: host, port: listener.address.port ?? configuration.port).url,
            reverse: configuration.reverse,
            threadPool: threadPool,
            openPort: { session, port, reverse in
                try await listener.openPort(of: session, port: port, reverseOrigin: reverse)
            }
        )
        deck.foreignFiles = ForeignFiles(configuration)
        deck.metrics = { context.metricsText(version: self.version) }
        let server: ControlServer
        do {
            server = try await ControlServer.start(settings, deck: deck, group: self.controlLoop, log: log)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw DeckError(
                "port \(port) of the control API is in use; stop what uses it, choose another with --control-port (0 takes "
                    + "a free one), or go without with --no-control"
            )
        } catch {
            throw self.cannotListen(host, port, error)
        }
        do {
            context.noteOwn(try SocketAddress.makeAddressResolvingHost(host, port: server.port))
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    /// The pages that the proxy serves at `http://tapedeck.local/`: how to trust the authority.
    static func localSite(_ authority: CertificateAuthority, _ proxyURL: String) -> [String: LocalPage] {
        let pages = PageAssets.trustSite(
            authorityPEM: authority.certificatePEM,
            authorityDER: authority.certificateDER,
            expires: authority.expires,
            proxyURL: proxyURL
        )
        return Dictionary(pages.map { ($0.path, LocalPage(mediaType: $0.mediaType, body: $0.bytes)) }) { first, _ in
            first
        }
    }
}
