package import NIOCore
import NIOPosix
package import TapedeckCore
package import TapedeckSessions
package import TapedeckTLS

/// The settings of the proxy. Every value has a default that suits a developer's machine.
package struct ProxyConfiguration: Sendable {
    /// The origin of requests that name none (`GET /path`): makes the proxy port a reverse listener too.
    package var reverseOrigin: Origin?
    /// True if what names the origin in an answer names the deck for a client that takes the deck for the origin
    /// (``ReturnAddress``). On by default.
    package var rewritesAddresses = true
    /// True if clients and origins may choose HTTP/2. On by default.
    package var speaksHTTP2 = true
    /// Hosts whose `http` origins speak HTTP/2 by prior knowledge. None by default.
    package var cleartextHTTP2: [HostPattern] = []
    /// The maximum time for connecting to an origin, including its TLS handshake. 10 seconds.
    package var connectTimeout: TimeAmount = .seconds(Int64(Self.connectSeconds))
    /// The maximum silence of an origin while an answer is due. No limit: models that think, long polls and batch jobs are
    /// silent for minutes, and a client that waits knows its own patience. A dead peer is noticed by keep-alive probes.
    package var readTimeout: TimeAmount = Self.noLimit
    /// True to refuse malformed answers of origins that a client could read (``RepairedHead``). Off by default.
    package var isStrictWithOrigins = false
    /// The maximum time for the head of a request, from its first byte or from connecting. 60 seconds.
    package var headTimeout: TimeAmount = .seconds(Int64(Self.clientSeconds))
    /// The maximum silence of a client in the middle of a request's body. 60 seconds.
    package var bodyTimeout: TimeAmount = .seconds(Int64(Self.clientSeconds))
    /// The time for which an unused connection to an origin is kept. 30 seconds.
    package var idleTimeout: TimeAmount = .seconds(30)
    /// Hosts whose certificate is not verified.
    package var insecureHosts: Set<String> = []
    /// PEM files with certificate authorities to trust for origins, in addition to the system's.
    package var upstreamCAFiles: [String] = []
    /// Certificate authorities for origins, as PEM text.
    package var upstreamCAPEM: [String] = []
    /// The proxies between this machine and origins. None.
    package var upstreamProxies = UpstreamProxies.none
    /// Addresses to connect to in place of those that hosts have. None.
    package var addressOverrides = AddressOverrides()
    /// The permitted targets of connections. All by default.
    package var targets = TargetRules.unrestricted
    /// True if requests to this machine pass that are neither recorded nor on tape. On by default.
    package var passesLocal = true
    /// Looks up the addresses of a host for ``targets``; may block. By default the system's.
    package var lookUp: @Sendable (_ host: String, _ port: Int) -> [SocketAddress] = HostLookup.system
    /// Certificates for origins that request one; the first for a host counts. None by default.
    package var clientCertificates: [(hosts: HostPattern, certificate: ClientCertificate)] = []
    /// The part of a request body that is kept in memory for matching, in bytes. 1 MiB.
    package var matchedBodyLimit = UsageLimits().matchedBody
    /// The part of a request body that is kept in memory while the request is held, in bytes. 32 MiB.
    package var heldBodyLimit = UsageLimits.heldBody
    /// Up to this size a recorded body is kept in memory until its exchange ends; a larger one goes to a file as it
    /// comes. In bytes, 256 KiB.
    package var recordedBodyMemory = 256 << 10
    /// True if a request that names a session needs its token, or that of the deck. A request without a session has no
    /// token, and is refused. False by default; required if other machines can reach the proxy.
    package var requiresToken = false
    /// A token that is valid for every session, including the default one, or `nil`.
    package var deckToken: String?
    /// The rules for requests that use a port of the proxy as a server. Pages from loopback are accepted.
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

    /// True if an `http` origin speaks HTTP/2 by prior knowledge.
    func speaksHTTP2(to origin: Origin) -> Bool {
        self.cleartextHTTP2.contains { $0.matches(origin) }
    }

    /// The default of ``connectTimeout``, in seconds.
    package static let connectSeconds = 10
    /// Longer than anybody waits.
    package static let noLimit = TimeAmount.hours(24 * 365)
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
