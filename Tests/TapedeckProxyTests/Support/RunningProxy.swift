import Logging
import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

/// A proxy with one event loop on a port of its own.
struct RunningProxy {
    static let origin = "http://api.example.test"

    let session: Session
    let context: ProxyContext
    let authority: CertificateAuthority
    private let listener: ProxyListener
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    static func start(
        _ cassette: Cassette,
        allowsPassthrough: Bool = false,
        now: Instant? = nil
    ) async throws -> RunningProxy {
        var settings = Session.Settings(mode: .replay)
        settings.allowsPassthrough = allowsPassthrough
        return try await Self.start(Session(settings, tape: Tape([cassette])), now: now)
    }

    static func start(
        _ session: Session,
        now: Instant? = nil,
        secrets: DeckSecrets = DeckSecrets()
    ) async throws -> RunningProxy {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let threadPool = NIOThreadPool(numberOfThreads: 1)
        threadPool.start()
        let authority = try CertificateAuthority.ephemeral()
        var configuration = ProxyConfiguration.patient
        if let now { configuration.now = { now } }
        configuration.secrets = secrets
        let context = ProxyContext(
            configuration: configuration,
            sessions: .of(session),
            leaves: LeafCache(authority: authority),
            threadPool: threadPool,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let listener = try await ProxyListener.start(host: "127.0.0.1", port: 0, context: context, group: group)
        return RunningProxy(
            session: session,
            context: context,
            authority: authority,
            listener: listener,
            group: group,
            threadPool: threadPool
        )
    }

    func connect(staysOpen: Bool = false) async throws -> WireClient {
        try await WireClient.connect(to: self.listener.address, staysOpen: staysOpen)
    }

    /// Lets unanswered requests finish, without a time limit.
    func drain() async {
        await self.listener.stop(grace: .hours(1))
    }

    func stop() async throws {
        await self.listener.stop(grace: .seconds(0))
        try await self.threadPool.shutdownGracefully()
        try await self.group.shutdownGracefully()
    }

    /// The head of a GET; `last` closes the connection after the answer.
    static func get(_ path: String, last: Bool = true, fields: String = "") -> String {
        "GET \(self.origin)\(path) HTTP/1.1\r\nHost: api.example.test\r\n\(fields)"
            + (last ? "Connection: close\r\n\r\n" : "\r\n")
    }

    /// Returns the answer to one request.
    func ask(_ path: String) async throws -> (text: String, ending: WireClient.Ending?) {
        let client = try await self.connect()
        try await client.send(Self.get(path))
        let (bytes, ending) = await client.readToEnd()
        return (String(decoding: bytes, as: UTF8.self), ending)
    }

    // MARK: Cassettes

    /// A cassette whose set for each path behaves as given.
    static func cassette(
        _ behaviours: KeyValuePairs<String, Behaviour>,
        time: TimeRules = TimeRules()
    ) throws -> Cassette {
        let sets = try behaviours.map { path, behaviour in
            ResponseSet(
                name: path,
                request: RequestMatcher(method: nil, url: try #require(AbsoluteURL("\(Self.origin)\(path)"))),
                variants: [Variant(name: "a", behaviour: behaviour)]
            )
        }
        return Cassette(name: "tape", time: time, responseSets: sets)
    }

    static func text(_ text: String) -> StoredBody {
        .inline(InlineBody(form: .text, content: Array(text.utf8)))
    }
}
