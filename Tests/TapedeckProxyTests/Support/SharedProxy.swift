import Logging
import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

/// A proxy that many sessions share, each with a set of its own for the same URL.
struct SharedProxy {
    static let url = "http://api.example.test/a"

    let sessions: SessionDirectory
    let context: ProxyContext
    let listener: ProxyListener
    let authority: CertificateAuthority
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    /// - Parameters:
    ///   - hasDefault: whether requests that name no session have one, which answers "default".
    ///   - dials: whether sessions may ask origins.
    static func start(
        hasDefault: Bool = true,
        dials: Bool = false,
        folder: String = "cassettes",
        loops: Int = 1,
        redaction: RedactionOptions = RedactionOptions(),
        limits: UsageLimits = UsageLimits(),
        configure: (inout ProxyConfiguration) -> Void = { _ in }
    ) async throws -> SharedProxy {
        var configuration = ProxyConfiguration.patient
        configuration.reverseOrigin = Origin("http://api.example.test")
        // Requests here have the Host of the origin, even if they are for the deck itself.
        configuration.pages.names = ["api.example.test"]
        configure(&configuration)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        let threadPool = NIOThreadPool(numberOfThreads: 1)
        threadPool.start()
        let authority = try CertificateAuthority.ephemeral()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var defaults = Session.Settings(mode: .replay)
        defaults.meter = DeckMeter(limits)
        let own = Session(defaults, tape: Tape([]))
        own.add(try Self.set("default"))
        var settings = SessionDirectory.Configuration(allowsDialling: dials)
        settings.redaction = redaction
        settings.limits = limits
        let sessions = SessionDirectory(
            settings,
            library: CassetteLibrary(folder: folder, store: CassetteStore { SHA256.hexDigest(of: $0) }),
            default: hasDefault ? own : nil,
            log: log
        )
        let context = ProxyContext(
            configuration: configuration,
            sessions: sessions,
            leaves: LeafCache(authority: authority),
            threadPool: threadPool,
            log: log
        )
        return SharedProxy(
            sessions: sessions,
            context: context,
            listener: try await ProxyListener.start(host: "127.0.0.1", port: 0, context: context, group: group),
            authority: authority,
            group: group,
            threadPool: threadPool
        )
    }

    func stop() async throws {
        await self.listener.stop(grace: .seconds(0))
        await self.sessions.endAll()
        try await self.threadPool.shutdownGracefully()
        try await self.group.shutdownGracefully()
    }

    /// A session that answers with `text`.
    func session(_ text: String, policy: UnmatchedPolicy? = nil) throws -> Session {
        var request = SessionDirectory.Request(mode: .replay, cassettes: [])
        request.policy = policy
        let session = try self.sessions.create(request)
        session.add(try Self.set(text))
        return session
    }

    /// A session that asks origins and plays nothing.
    func passthrough() throws -> Session {
        try self.sessions.create(SessionDirectory.Request(mode: .passthrough, cassettes: []))
    }

    /// A set that answers ``url``, over HTTP and HTTPS, with a text.
    static func set(_ text: String, _ path: String = "/a", behaviour: Behaviour? = nil) throws -> ResponseSet {
        let pattern = try Pattern("https?://api\\.example\\.test\(path)", scope: .whole)
        return ResponseSet(
            name: "set \(path)",
            request: RequestMatcher(url: .pattern(pattern)),
            variants: [
                Variant(name: "a", behaviour: behaviour ?? Behaviour(.takes([Take(body: RunningProxy.text(text))])))
            ]
        )
    }

    func connect(_ port: Int? = nil) async throws -> WireClient {
        guard let port else { return try await WireClient.connect(to: self.listener.address) }
        return try await WireClient.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: port))
    }

    /// Sends a request on a separate connection; `port` selects another port than the shared one.
    func ask(_ request: String, port: Int? = nil) async throws -> WireResponse {
        let client = try await self.connect(port)
        try await client.send(request)
        let response = await client.response()
        await client.close()
        return response
    }

    static func get(_ url: String = Self.url, _ fields: String...) -> String {
        "GET \(url) HTTP/1.1\r\nHost: api.example.test\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    static func connect(_ authority: String = "api.example.test:80", _ fields: String...) -> String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    static func header(_ key: String) -> String { "X-Tapedeck-Session: \(key)" }

    /// - Parameter text: user and password.
    static func credentials(_ text: String) -> String {
        "Proxy-Authorization: Basic \(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self))"
    }
}

extension Session {
    var key: String { "\(self.id):\(self.token)" }

    /// Waits until this many exchanges are in its recording.
    func untilRecorded(_ count: Int) async {
        while true {
            let version = self.changes.version
            guard (self.recordingStatus?.exchanges ?? count) < count else { return }
            await self.changes.wait(after: version)
        }
    }
}
