import NIOCore
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy
@testable import TapedeckTLS

private typealias Proxy = SharedProxy

/// Clients that believe they talk to the origin itself.
@Suite struct TransparentTests {
    private static let host = "api.example.test"

    private static func get(_ target: String, _ fields: String...) -> String {
        "GET \(target) HTTP/1.1\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    /// Sends requests over one connection; TLS is for `name`, if given.
    private static func ask(
        _ proxy: Proxy,
        port: Int,
        tls name: String? = nil,
        _ requests: String...
    ) async throws -> [WireResponse] {
        let client = try await proxy.connect(port)
        if let name { try await client.startTLS(name, authority: proxy.authority) }
        var answers: [WireResponse] = []
        for request in requests {
            try await client.send(request)
            answers.append(await client.response())
        }
        await client.close()
        return answers
    }

    @Test func theHostFieldNamesTheOriginWithoutTLS() async throws {
        let proxy = try await Proxy.start()
        let session = try #require(proxy.sessions.default)
        let port = try await proxy.listener.openTransparentPort(0, originPort: 80)
        let hosts = ["api.example.test", "API.Example.test", "api.example.test:80", "api.example.test:8080", "b.test"]
        let client = try await proxy.connect(port)
        var statuses: [Int] = []
        for host in hosts {
            try await client.send(Self.get("/a", "Host: \(host)"))
            statuses.append(await client.response().status)
        }
        await client.close()
        #expect(statuses == [200, 200, 200, 501, 501])
        let origins = (1...5).map { session.journal.entry($0)?.request.line.url.origin.description }
        let own = "http://api.example.test"
        #expect(origins == [own, own, own, "\(own):8080", "http://b.test"])
        try await proxy.stop()
    }

    @Test func theServerNameNamesTheOriginWithinTLS() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let answers = try await Self.ask(
            proxy,
            port: port,
            tls: Self.host,
            Self.get("/a", "Host: api.example.test"),
            Self.get("/a", "Host: API.example.test:443"),
            Self.get("/a", "Host: other.example.test"),
            Self.get("/a", "Host: api.example.test")
        )
        #expect(answers.map(\.status) == [200, 200, 421, 200])
        #expect(answers[2].body.contains("https://other.example.test"))
        #expect(answers[2].body.contains("\"misdirectedRequest\""))
        #expect(proxy.sessions.default?.journal.entry(1)?.request.line.url.description == "https://api.example.test/a")
        try await proxy.stop()
    }

    /// The port that a client reached may be mapped, so the deck does not know it.
    @Test func aListenerUsesItsConfiguredOriginPort() async throws {
        let proxy = try await Proxy.start()
        let session = try #require(proxy.sessions.default)
        let port = try await proxy.listener.openTransparentPort(0, originPort: 8443)
        _ = try await Self.ask(proxy, port: port, tls: Self.host, Self.get("/a", "Host: api.example.test"))
        _ = try await Self.ask(proxy, port: port, tls: Self.host, Self.get("/a", "Host: api.example.test:9443"))
        #expect(session.journal.entry(1)?.request.line.url.origin.port == 8443)
        #expect(session.journal.entry(2)?.request.line.url.origin.port == 9443)
        try await proxy.stop()
    }

    @Test func anAbsoluteTargetOverridesHostAndMustMatchTheConnection() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        func status(_ target: String, tls name: String?) async throws -> Int? {
            try await Self.ask(proxy, port: port, tls: name, Self.get(target, "Host: b.test")).first?.status
        }
        #expect(try await status("https://api.example.test/a", tls: Self.host) == 200)
        #expect(try await status("http://api.example.test/a", tls: nil) == 200)
        #expect(try await status("https://b.test/a", tls: Self.host) == 421)
        #expect(try await status("http://api.example.test/a", tls: Self.host) == 421)
        #expect(try await status("https://api.example.test/a", tls: nil) == 421)
        #expect(try await status("ftp://api.example.test/a", tls: nil) == 400)
        try await proxy.stop()
    }

    /// As HTTP/1.0 may.
    @Test func aRequestWithoutHostUsesTheServerNameOfItsTLS() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let request = "GET /a HTTP/1.0\r\n\r\n"
        #expect(try await Self.ask(proxy, port: port, tls: Self.host, request).first?.body == "default")
        let session = try #require(proxy.sessions.default)
        let other = Self.get("/b", "Host: api.example.test:9443")
        let keeping = "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        _ = try await Self.ask(proxy, port: port, tls: Self.host, other, keeping, other)
        #expect((2...4).map { session.journal.entry($0)?.request.line.url.origin.port } == [9443, 443, 9443])
        let refused = try #require(try await Self.ask(proxy, port: port, request).first)
        #expect(refused.status == 400)
        #expect(refused.body.contains("the field Host"))
        try await proxy.stop()
    }

    @Test func aCONNECTIsRejectedWithThePortOfTheProxy() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let answer = try await proxy.ask(Proxy.connect("api.example.test:443"), port: port)
        #expect(answer.status == 405)
        #expect(answer["allow"]?.contains("GET") == true)
        #expect(answer.body.contains("port \(try #require(proxy.listener.address.port))."))
        try await proxy.stop()
    }

    @Test func aHandshakeThatNamesNoHostIsRefusedWithAnAlert() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let client = try await proxy.connect(port)
        // A record with a ServerHello, which no client sends.
        try await client.send("\u{16}\u{3}\u{1}\u{0}\u{4}\u{2}\u{0}\u{0}\u{0}")
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes == [21, 3, 3, 0, 2, 2, 50])
        #expect(ending == .closed)
        try await proxy.stop()
    }

    @Test func aConnectionWithNeitherTLSNorHTTPIsClosed() async throws {
        let proxy = try await Proxy.start()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let client = try await proxy.connect(port)
        try await client.send("\u{0}\u{1}\u{2}")
        let (bytes, _) = await client.readToEnd()
        #expect(bytes.isEmpty)
        try await proxy.stop()
    }

    @Test func tapedecksOwnSiteIsServedAndNamesTheProxy() async throws {
        let proxy = try await Proxy.start { configuration in
            configuration.localSite = { url in ["/": LocalPage(mediaType: "text/plain", body: Array(url.utf8))] }
        }
        let port = try await proxy.listener.openTransparentPort(0, originPort: 80)
        let answer = try await Self.ask(proxy, port: port, Self.get("/", "Host: tapedeck.local"))
        #expect(answer.first?.body == "http://127.0.0.1:\(try #require(proxy.listener.address.port))")
        try await proxy.stop()
    }

    // MARK: Sessions

    @Test func aRequestThatNamesASessionUsesThatSession() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let answers = try await Self.ask(
            proxy,
            port: port,
            tls: Self.host,
            Self.get("/a", "Host: api.example.test", Proxy.header(session.key)),
            Self.get("/.tapedeck/\(session.key)/http/api.example.test/a", "Host: api.example.test"),
            Self.get("/a", "Host: api.example.test"),
            Self.get("/a", "Host: api.example.test", Proxy.header("nobody"))
        )
        #expect(answers.map(\.body).prefix(3) == ["one", "one", "default"])
        #expect(answers[3].status == 404)
        try await proxy.stop()
    }

    @Test func requestsThatNameASessionNeedItsTokenIfTokensAreRequired() async throws {
        let proxy = try await Proxy.start { $0.requiresToken = true }
        let session = try proxy.session("one")
        let port = try await proxy.listener.openTransparentPort(0, originPort: 80)
        let host = "Host: api.example.test"
        let answers = try await Self.ask(
            proxy,
            port: port,
            Self.get("/a", host),
            Self.get("/a", host, Proxy.header(session.key)),
            Self.get("/a", host, Proxy.header(session.id)),
            Self.get("/.tapedeck/\(session.id)/http/api.example.test/a", host),
            Self.get("/a", host, Proxy.header("default"))
        )
        #expect(answers.map(\.status) == [200, 200, 403, 403, 403])
        #expect(answers.map(\.body).prefix(2) == ["default", "one"])
        // The proxy's own port is as it was.
        #expect(try await proxy.ask(Proxy.get()).status == 407)
        try await proxy.stop()
    }

    @Test func aTransparentRequestMustNameASessionIfRequired() async throws {
        let proxy = try await Proxy.start(hasDefault: false)
        let session = try proxy.session("one")
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        let answers = try await Self.ask(
            proxy,
            port: port,
            tls: Self.host,
            Self.get("/a", "Host: api.example.test"),
            Self.get("/a", "Host: api.example.test", Proxy.header(session.key))
        )
        #expect(answers.map(\.status) == [400, 200])
        #expect(answers[0].body.contains("sessionRequired"))
        try await proxy.stop()
    }

    // MARK: Origins

    @Test func aNameThatResolvesToTheDeckIsRejectedWithAdvice() async throws {
        let here = try await EchoOrigin.start()
        let there = try #require(here.address?.port)
        let proxy = try await Proxy.start(dials: true) { configuration in
            let entry = "api.example.test:\(there):127.0.0.1"
            configuration.addressOverrides = AddressOverrides([try? AddressOverride(entry)].compactMap { $0 })
        }
        let session = try proxy.passthrough()
        let port = try await proxy.listener.openTransparentPort(0, originPort: there)
        let request = Self.get("/", "Host: api.example.test", Proxy.header(session.key))
        #expect(try await Self.ask(proxy, port: port, request).first?.status == 200)
        proxy.context.noteOwn(try SocketAddress(ipAddress: "127.0.0.1", port: there))
        let answer = try #require(try await Self.ask(proxy, port: port, request).first)
        #expect(answer.status == 508)
        #expect(answer["x-tapedeck-reason"] == "loop")
        #expect(answer.body.contains("--resolve api.example.test:\(there):ADDRESS"))
        #expect(session.journal.entry(2)?.response?.status == 508)
        try await proxy.stop()
        try await here.stop()
    }

    @Test func aRequestForTheDecksOwnTransparentPortIsRejected() async throws {
        let proxy = try await Proxy.start(dials: true) { $0.reverseOrigin = nil }
        let session = try proxy.passthrough()
        let port = try await proxy.listener.openTransparentPort(0, originPort: 80)
        let url = "http://127.0.0.1:\(port)/"
        #expect(try await proxy.ask(Proxy.get(url, Proxy.header(session.key))).status == 508)
        let request = Self.get("/", "Host: 127.0.0.1:\(port)", Proxy.header(session.key))
        #expect(try await Self.ask(proxy, port: port, request).first?.status == 508)
        #expect(session.report().connectionsOpened == 0)
        try await proxy.stop()
    }

    // MARK: Limits

    @Test func passedThroughTLSCountsAgainstItsSessionsConnectionLimit() async throws {
        let target = try await CountingOrigin.start()
        var limits = UsageLimits()
        limits.sessionConnections = 1
        var settings = RecordSettings()
        settings.passthrough = [try HostPattern("*")]
        let recording = RecordingRules(settings)
        let entry = try AddressOverride("api.example.test:\(target.port):127.0.0.1")
        let proxy = try await Proxy.start(dials: true, limits: limits) { configuration in
            configuration.recording = recording
            configuration.addressOverrides = AddressOverrides([entry])
        }
        let session = try #require(proxy.sessions.default)
        session.change(mode: .passthrough, policy: nil)
        let port = try await proxy.listener.openTransparentPort(0, originPort: target.port)
        let first = try await proxy.connect()
        try await first.send(Proxy.connect("api.example.test:\(target.port)"))
        #expect(await first.response().status == 200)
        #expect(session.inUse.connections == 1)

        let second = try await proxy.connect(port)
        let context = try TLSClientContext(useSystemStore: false)
        let tls = try TLSConnection(client: context, host: Self.host, verifiesPeer: true)
        _ = tls.handshake()
        try await second.send(bytes: Array(tls.bio.takeOutbound().readableBytesView))
        #expect(await second.readToEnd().bytes == FatalAlert.internalError.record)
        #expect(session.refused == 1)
        #expect(session.report().unrecorded.passedTunnels == 1)
        #expect(proxy.context.connectionsOpened == 1)
        await first.close()
        try await proxy.stop()
        try await target.stop()
        #expect(proxy.context.usage == DeckUsage())
    }
}
