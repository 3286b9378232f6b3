import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// A base URL with session and origin in its path, at a proxy port without a reverse origin.
@Suite struct BaseURLTests {
    private typealias Proxy = SharedProxy

    private static func proxy(hasDefault: Bool = false) async throws -> SharedProxy {
        try await SharedProxy.start(hasDefault: hasDefault) { $0.reverseOrigin = nil }
    }

    @Test func thePathNamesSessionAndOrigin() async throws {
        let proxy = try await Self.proxy()
        let one = try proxy.session("one")
        let two = try proxy.session("two")
        let port = proxy.listener.address.port ?? 0
        let encoded = one.key.replacing(":", with: "%3A")
        let answers = [
            try await proxy.ask(Proxy.get("/.tapedeck/\(one.key)/https/api.example.test/a")),
            try await proxy.ask(Proxy.get("/.tapedeck/\(encoded)/http/api.example.test:80/a?")),
            try await proxy.ask(Proxy.get("/.tapedeck/\(one.id)/https/API.example.test/a")),
            // The header is nearer to the request.
            try await proxy.ask(Proxy.get("/.tapedeck/\(one.key)/https/api.example.test/a", Proxy.header(two.key))),
            // A client that has the deck as its proxy, too.
            try await proxy.ask(
                Proxy.get("http://127.0.0.1:\(port)/.tapedeck/\(one.key)/https/api.example.test/a")
            ),
        ]
        #expect(answers.map(\.body) == ["one", "one", "one", "two", "one"])
        let urls = one.journal.view().entries.map { $0.request.line.url.description }
        #expect(
            urls == [
                "https://api.example.test/a", "http://api.example.test/a?", "https://api.example.test/a",
                "https://api.example.test/a",
            ]
        )
        try await proxy.stop()
    }

    @Test func aConnectionServesSeveralOrigins() async throws {
        let proxy = try await Self.proxy()
        let one = try proxy.session("one")
        let client = try await proxy.connect()
        for (target, body) in [
            ("/.tapedeck/\(one.key)/https/api.example.test/a", "one"), ("http://api.example.test/a", "one"),
            ("/.tapedeck/\(one.key)/http/api.example.test/a", "one"),
        ] {
            try await client.send(Proxy.get(target, Proxy.header(one.key)))
            #expect(await client.response().body == body)
        }
        try await proxy.stop()
    }

    @Test(arguments: [
        ("/.tapedeck/", 400), ("/.tapedeck/key", 400), ("/.tapedeck/key/ftp/a.test/", 400),
        ("/.tapedeck/key/https/", 400), ("/.tapedeck/key/https/a:b:c/", 400), ("/.tapedeck/%zz/https/a.test/", 400),
        ("/.tapedeck//https/a.test/", 400), ("/.tapedeck/nobody:x/https/a.test/", 404), ("/other", 400),
        ("/.tapedeck/key/https/a%0D%0AX-Evil.test/", 400), ("/.tapedeck/key/https/a%2Fb.test/", 400),
        ("/.tapedeck/key/https/user%40a.test/", 400), ("/.tapedeck/../https/a.test/", 404),
        ("/.tapedeck/%00/https/a.test/", 404), ("/.tapedeck/key/https", 400),
    ])
    func aMalformedBaseURLIsRejected(_ target: String, _ status: Int) async throws {
        let proxy = try await Self.proxy(hasDefault: true)
        let answer = try await proxy.ask(Proxy.get(target))
        #expect(answer.status == status)
        #expect(proxy.sessions.default?.journal.view().seen == 0)
        try await proxy.stop()
    }

    @Test func aBaseURLInsideATunnelIsAnOrdinaryPath() async throws {
        let proxy = try await Self.proxy()
        let one = try proxy.session("one")
        let client = try await proxy.connect()
        try await client.send(Proxy.connect("api.example.test:80", Proxy.header(one.key)))
        #expect(await client.response().status == 200)
        try await client.send(Proxy.get("/.tapedeck/x/https/api.example.test/a"))
        #expect(await client.response().status == 501)
        try await proxy.stop()
    }

    @Test func anAbsoluteHTTPSTargetIsAnsweredInTheClear() async throws {
        let proxy = try await Self.proxy()
        let one = try proxy.session("one")
        let answer = try await proxy.ask(Proxy.get("https://api.example.test/a", Proxy.header(one.key)))
        #expect(answer.body == "one")
        try await proxy.stop()
    }

    @Test func theKeyDoesNotReachTheOrigin() async throws {
        let origin = try await EchoOrigin.start()
        let folder = try TemporaryFolder()
        let proxy = try await SharedProxy.start(dials: true, folder: folder.path) { $0.reverseOrigin = nil }
        let session = try proxy.sessions.create(SessionDirectory.Request(mode: .passthrough, cassettes: []))
        let base = "/.tapedeck/\(session.key)/http/\(origin.url.dropFirst(7))"
        for referrer in ["http://127.0.0.1:1\(base)/page", "http://example.test/page"] {
            let answer = try await proxy.ask(Proxy.get("\(base)/a", "Referer: \(referrer)"))
            #expect(answer.status == 200)
            #expect(answer.body.contains("Referer: \(referrer)") == referrer.hasSuffix("example.test/page"))
            #expect(!answer.body.contains(session.key))
        }
        try await proxy.stop()
        try await origin.stop()
    }
}
