package import NIOCore
import NIOPosix
package import TapedeckCore
package import TapedeckSessions
package import TapedeckTLS

/// How the proxy goes about its work. Every value has a default that suits a developer's machine.
package struct ProxyConfiguration: Sendable {
    /// The origin of requests that name none of their own (`GET /path`): makes the proxy port a reverse listener too.
    package var reverseOrigin: Origin?
    /// True if clients and origins may choose HTTP/2. On by default.
    package var speaksHTTP2 = true
    /// Hosts whose `http` origins speak HTTP/2 without being asked. None.
    package var cleartextHTTP2: [HostPattern] = []
    /// How long a connection to an origin, its TLS handshake included, may take. 10 seconds.
    package var connectTimeout: TimeAmount = .seconds(Int64(Self.connectSeconds))
    /// How long an origin may be silent while an answer is due. 60 seconds.
    package var readTimeout: TimeAmount = .seconds(Int64(Self.readSeconds))
    /// How long a client may take for the head of a request once it has begun it, or has connected. 60 seconds.
    package var headTimeout: TimeAmount = .seconds(Int64(Self.clientSeconds))
    /// How long a client may be silent in the middle of a request's body. 60 seconds.
    package var bodyTimeout: TimeAmount = .seconds(Int64(Self.clientSeconds))
    /// How long an unused connection to an origin is kept. 30 seconds.
    package var idleTimeout: TimeAmount = .seconds(30)
    /// Hosts whose certificate is not verified.
    package var insecureHosts: Set<String> = []
    /// PEM files with certificate authorities that origins may be signed by, beside the system's.
    package var upstreamCAFiles: [String] = []
    /// Certificate authorities for origins, as PEM text.
    package var upstreamCAPEM: [String] = []
    /// The proxies between this machine and origins. None.
    package var upstreamProxies = UpstreamProxies.none
    /// Addresses to connect to in place of those that hosts have. None.
    package var addressOverrides = AddressOverrides()
    /// Where connections may go to. Anywhere.
    package var targets = TargetRules.unrestricted
    /// True if requests to this machine pass that are neither recorded nor on tape. On by default.
    package var passesLocal = true
    /// The addresses that a host has, where they are looked up to be judged by ``targets``; may block. The system's.
    package var lookUp: @Sendable (_ host: String, _ port: Int) -> [SocketAddress] = HostLookup.system
    /// Certificates to show to origins that ask for one; the first that is for a host counts. None.
    package var clientCertificates: [(hosts: HostPattern, certificate: ClientCertificate)] = []
    /// How much of a request body is kept in memory for matching, in bytes. 1 MiB.
    package var matchedBodyLimit = UsageLimits().matchedBody
    /// Up to this size a recorded body is kept in memory until its exchange ends; a larger one goes to a file as it
    /// comes. In bytes, 256 KiB.
    package var recordedBodyMemory = 256 << 10
    /// True if a request that names a session must bring its token, or that of the deck. A request without a session
    /// cannot bring one, and is refused. Off by default; required if other machines can reach the proxy.
    package var requiresToken = false
    /// A token that fits every session, the default one included; `nil` is none.
    package var deckToken: String?
    /// The rules for requests that come to a port of the proxy as to a server. Pages from loopback may send them.
    package var pages = ProxyConfiguration.pagesOfThisMachine
    /// The pages of `http://tapedeck.local/`, by path.
    package var localSite: @Sendable (_ proxyURL: String) -> [String: LocalPage] = { _ in [:] }
    /// The rules for recording, passing through and blocking. By default everything is recorded.
    package var recording = RecordingRules()
    /// The values that play for secrets, and the redaction of texts; shared with the sessions.
    package var secrets = DeckSecrets()
    /// The time of day, for dates and templates of what is played.
    package var now: @Sendable () -> Instant = { Instant.now }

    package init() {}

    /// True if an `http` origin speaks HTTP/2 without being asked.
    func speaksHTTP2(to origin: Origin) -> Bool {
        self.cleartextHTTP2.contains { $0.matches(origin) }
    }

    /// The default of ``connectTimeout``, in seconds.
    package static let connectSeconds = 10
    /// The default of ``readTimeout``, in seconds.
    package static let readSeconds = 60
    /// The default of ``headTimeout`` and ``bodyTimeout``, in seconds.
    package static let clientSeconds = 60

    private static var pagesOfThisMachine: PageRules {
        var rules = PageRules()
        rules.takesLoopbackPages = true
        return rules
    }
}

/// The configuration of a proxy as it is at one moment, with what is made of it. Replaced as a whole when it is read
/// again; what has begun with the old one ends with it.
final class ProxySettings: Sendable {
    let configuration: ProxyConfiguration
    /// Certificates that origins are verified against.
    let trust: UpstreamTrust

    init(_ configuration: ProxyConfiguration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.trust = UpstreamTrust(configuration: configuration, threadPool: threadPool)
    }
}
