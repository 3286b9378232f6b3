import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

/// The session that answers, on the wire.
@Suite struct SessionRoutingTests {
    private typealias Proxy = SharedProxy

    @Test func aRequestFindsItsSessionByHeaderCredentialsOrPort() async throws {
        let proxy = try await Proxy.start()
        let one = try proxy.session("one")
        let two = try proxy.session("two")
        let port = try await proxy.listener.openPort(of: two)
        let answers = [
            try await proxy.ask(Proxy.get()),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.header(one.id))),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.header(one.key))),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.credentials("\(one.id):"))),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.credentials(one.key))),
            try await proxy.ask(Proxy.get("/a", Proxy.header(one.id))),
            try await proxy.ask(Proxy.get("/a")),
            try await proxy.ask(Proxy.get(), port: port),
            try await proxy.ask(Proxy.get("/a"), port: port),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.credentials(one.key)), port: port),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.header("default")), port: port),
            try await proxy.ask(Proxy.get(Proxy.url, Proxy.header(two.key), Proxy.credentials(one.key))),
        ]
        try await proxy.stop()
        #expect(
            answers.map(\.body) == [
                "default", "one", "one", "one", "one", "one", "default", "two", "two", "one", "default", "two",
            ]
        )
    }

    @Test func oneConnectionMayServeSeveralSessions() async throws {
        let proxy = try await Proxy.start()
        let sessions = try (0..<3).map { try proxy.session("\($0)") }
        let client = try await proxy.connect()
        for number in [0, 0, 1, 2, 1, 0, 0] {
            try await client.send(Proxy.get(Proxy.url, Proxy.header(sessions[number].key)))
            #expect(await client.response().body == "\(number)")
            try await client.send(Proxy.get(Proxy.url, Proxy.credentials(sessions[number].key)))
            #expect(await client.response().body == "\(number)")
        }
        try await client.send(Proxy.get())
        #expect(await client.response().body == "default")
        try await proxy.stop()
    }

    @Test(arguments: [true, false])
    func aTunnelKeepsItsSessionAndAHeaderInsideWinsForOneRequest(_ usesTLS: Bool) async throws {
        let proxy = try await Proxy.start()
        let one = try proxy.session("one")
        let two = try proxy.session("two")
        for (field, expected) in [
            (Proxy.header(one.key), "one"), (Proxy.credentials(one.key), "one"), ("X-Other: 1", "default"),
        ] {
            let client = try await proxy.connect()
            try await client.send(Proxy.connect("api.example.test:\(usesTLS ? 443 : 80)", field))
            #expect(await client.response().status == 200)
            if usesTLS { try await client.startTLS("api.example.test", authority: proxy.authority) }
            var answers: [String] = []
            for field in ["X-Other: 2", Proxy.header(two.key), "X-Other: 3", Proxy.credentials(two.key)] {
                try await client.send(Proxy.get("/a", field))
                answers.append(await client.response().body)
            }
            #expect(answers == [expected, "two", expected, expected])
            await client.close()
        }
        try await proxy.stop()
    }

    @Test func anInvalidSessionKeyIsRejected() async throws {
        let proxy = try await Proxy.start { $0.deckToken = "of the deck" }
        let one = try proxy.session("one")
        let gone = try proxy.session("gone")
        _ = await proxy.sessions.end(gone.id)
        let cases: [(key: String, status: Int, error: String, reason: String)] = [
            ("nobody", 404, "unknownSession", "No Tapedeck session nobody"),
            (gone.key, 410, "sessionEnded", "Tapedeck session \(gone.id) has ended"),
            ("\(one.id):wrong", 403, "wrongToken", "Wrong token for Tapedeck session \(one.id)"),
            ("default:wrong", 403, "wrongToken", "Wrong token for Tapedeck session default"),
        ]
        for (key, status, error, reason) in cases {
            for request in [
                Proxy.get(Proxy.url, Proxy.header(key)), Proxy.get(Proxy.url, Proxy.credentials(key)),
                Proxy.get("/a", Proxy.header(key)), Proxy.connect("api.example.test:443", Proxy.header(key)),
                Proxy.connect("api.example.test:443", Proxy.credentials(key)),
            ] {
                let answer = try await proxy.ask(request)
                #expect(answer.status == status)
                #expect(answer.reason == reason)
                #expect(answer["x-tapedeck-session-error"] == error)
                #expect(answer["cache-control"] == "no-store")
                #expect(answer.body.contains("\"error\": \"\(error)\""))
                #expect(answer.body.contains(String(key.prefix { $0 != ":" })))
            }
        }
        #expect(try await proxy.ask(Proxy.get(Proxy.url, Proxy.header("\(one.id):of the deck"))).body == "one")
        #expect(try await proxy.ask(Proxy.get(Proxy.url, Proxy.header("default:of the deck"))).body == "default")
        #expect(one.report().played == 1)
        #expect(proxy.sessions.default?.report().played == 1)
        try await proxy.stop()
    }

    @Test func aSessionThatEndsIsGoneFromConnectionsAndTunnelsThatUsedIt() async throws {
        let proxy = try await Proxy.start()
        let one = try proxy.session("one")
        let client = try await proxy.connect()
        try await client.send(Proxy.get(Proxy.url, Proxy.header(one.key)))
        #expect(await client.response().body == "one")
        let tunnel = try await proxy.connect()
        try await tunnel.send(Proxy.connect("api.example.test:80", Proxy.header(one.key)))
        #expect(await tunnel.response().status == 200)
        try await tunnel.send(Proxy.get("/a"))
        #expect(await tunnel.response().body == "one")
        _ = await proxy.sessions.end(one.id)
        try await client.send(Proxy.get(Proxy.url, Proxy.header(one.key)))
        #expect(await client.response().status == 410)
        try await tunnel.send(Proxy.get("/a"))
        #expect(await tunnel.response().status == 410)
        // Both connections are good for more.
        try await client.send(Proxy.get())
        #expect(await client.response().body == "default")
        try await tunnel.send(Proxy.get("/a", Proxy.header("default")))
        #expect(await tunnel.response().body == "default")
        try await proxy.stop()
    }

    @Test(arguments: [Proxy.url, "http://tapedeck.local/"])
    func aRejectedRequestWithExpectContinueIsAnsweredAtOnce(_ url: String) async throws {
        let proxy = try await Proxy.start()
        let client = try await proxy.connect()
        try await client.send(
            "POST \(url) HTTP/1.1\r\nHost: api.example.test\r\n\(Proxy.header("nobody"))\r\n"
                + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        )
        let response = await client.response()
        #expect([404, 405].contains(response.status))
        #expect(response["connection"] == "close")
        await client.close()
        try await proxy.stop()
    }

    @Test func theBodyOfARejectedRequestIsNotParsedAsTheNextRequest() async throws {
        let proxy = try await Proxy.start()
        let client = try await proxy.connect()
        let body = "GET \(Proxy.url) HTTP/1.1\r\n\r\n"
        let head = "POST \(Proxy.url) HTTP/1.1\r\nHost: api.example.test\r\n\(Proxy.header("nobody"))\r\n"
        try await client.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(await client.response().status == 404)
        try await client.send(Proxy.get())
        #expect(await client.response().body == "default")
        try await proxy.stop()
    }

    // MARK: Sessions required

    @Test func aClientSendsCredentialsAfterA407OnTheSameConnection() async throws {
        let proxy = try await Proxy.start(hasDefault: false)
        let one = try proxy.session("one")
        let client = try await proxy.connect()
        for request in [Proxy.get(), Proxy.connect(), Proxy.get(Proxy.url, "Proxy-Authorization: Bearer x")] {
            try await client.send(request)
            let asked = await client.response()
            #expect(asked.status == 407)
            #expect(asked.reason == "Tapedeck session required")
            #expect(asked["proxy-authenticate"] == "Basic realm=\"Tapedeck session\"")
            #expect(asked["x-tapedeck-session-error"] == "sessionRequired")
        }
        try await client.send(Proxy.get(Proxy.url, Proxy.credentials(one.key)))
        #expect(await client.response().body == "one")
        try await client.send(Proxy.connect("api.example.test:80", Proxy.credentials(one.key)))
        #expect(await client.response().status == 200)
        try await client.send(Proxy.get("/a"))
        #expect(await client.response().body == "one")
        try await proxy.stop()
    }

    @Test func aReverseRequestWithoutASessionGetsA400WithAdvice() async throws {
        let proxy = try await Proxy.start(hasDefault: false)
        let answer = try await proxy.ask(Proxy.get("/a"))
        #expect(answer.status == 400)
        #expect(answer["x-tapedeck-session-error"] == "sessionRequired")
        #expect(answer.body.contains("X-Tapedeck-Session"))
        // A session's own port names it.
        let port = try await proxy.listener.openPort(of: proxy.session("one"))
        #expect(try await proxy.ask(Proxy.get("/a"), port: port).body == "one")
        try await proxy.stop()
    }

    @Test func invalidCredentialsAreRejectedEvenIfNoneAreRequired() async throws {
        let proxy = try await Proxy.start()
        let answer = try await proxy.ask(Proxy.get(Proxy.url, "Proxy-Authorization: Bearer x"))
        #expect(answer.status == 400)
        #expect(answer["x-tapedeck-session-error"] == "unknownSession")
        try await proxy.stop()
    }

    @Test func anIdWithoutItsTokenIsRejectedIfTokensAreRequired() async throws {
        let proxy = try await Proxy.start {
            $0.requiresToken = true
            $0.deckToken = "secret"
        }
        let one = try proxy.session("one")
        let port = try await proxy.listener.openPort(of: one)
        for request in [
            Proxy.get(), Proxy.connect(), Proxy.get(Proxy.url, Proxy.header(one.id)),
            Proxy.connect("api.example.test:443", Proxy.credentials("\(one.id):")),
        ] {
            for port in [nil, port] {
                let answer = try await proxy.ask(request, port: port)
                #expect(answer.status == 407)
                #expect(answer["x-tapedeck-session-error"] == "wrongToken")
            }
        }
        #expect(try await proxy.ask(Proxy.get("/a")).status == 403)
        #expect(try await proxy.ask(Proxy.get("/a", Proxy.header(one.id)), port: port).status == 403)
        #expect(try await proxy.ask(Proxy.get("/a", Proxy.header(one.key)), port: port).body == "one")
        #expect(try await proxy.ask(Proxy.get("/a", Proxy.header("default:secret"))).body == "default")
        try await proxy.stop()
    }

    // MARK: Ports

    @Test func aPortOfASessionClosesWithIt() async throws {
        let proxy = try await Proxy.start()
        let one = try proxy.session("one")
        let port = try await proxy.listener.openPort(of: one, reverseOrigin: Origin("http://api.example.test"))
        #expect(one.port == port)
        await #expect(throws: SessionError.self) { try await proxy.listener.openPort(of: one) }
        let other = try proxy.session("two")
        await #expect(throws: SessionError.self) { try await proxy.listener.openPort(of: other, port: port) }
        let client = try await proxy.connect(port)
        try await client.send(Proxy.get("/a"))
        #expect(await client.response().body == "one")
        _ = await proxy.sessions.end(one.id)
        #expect(one.port == nil)
        // Existing clients get an error; no other client gets in, though another program may have the port by now.
        try await client.send(Proxy.get("/a"))
        #expect(await client.response().status == 410)
        await #expect(throws: SessionError.self) { try await proxy.listener.openPort(of: one) }
        try await proxy.stop()
    }

    // MARK: Origins

    @Test func sessionKeysReachNeitherTheOriginNorTheJournal() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await EchoOrigin.start()
        let live = try proxy.passthrough()
        let answer = try await proxy.ask(
            Proxy.get("\(origin.url)/b", Proxy.header(live.key), Proxy.credentials(live.key), "X-Kept: 1")
        )
        #expect(answer.body.contains("X-Kept: 1"))
        #expect(!answer.body.lowercased().contains("x-tapedeck"))
        #expect(!answer.body.contains("Proxy-Authorization"))
        let entry = try #require(live.journal.entry(1))
        #expect(entry.request.fields.map(\.name) == ["Host", "X-Kept"])
        try await proxy.stop()
        try await origin.stop()
    }
}
