import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Requests that use a port as a server, and those of them that a web page may send.
@Suite struct PageAccessTests {
    private typealias Proxy = SharedProxy

    private static func get(_ target: String, host: String = "127.0.0.1", _ fields: String...) -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    private static let base = "http/api.example.test/a"
    private static let foreign = [
        "Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
    ]

    @Test func `a page of another site gets nothing from the proxy's port or a session's`() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let port = try await proxy.listener.openPort(of: session)
        for port in [nil, port] {
            for target in ["/a", "/.tapedeck/\(session.key)/\(Self.base)", "/.tapedeck/default/\(Self.base)"] {
                for field in Self.foreign {
                    let answer = try await proxy.ask(Self.get(target, field), port: port)
                    #expect(answer.status == 403)
                    #expect(answer["X-Tapedeck-Reason"] == "foreignPage")
                    #expect(answer["Access-Control-Allow-Origin"] == nil)
                }
                let rebound = try await proxy.ask(Self.get(target, host: "evil.example:\(port ?? 80)"), port: port)
                #expect(rebound.status == 403)
                #expect(rebound["X-Tapedeck-Reason"] == "wrongHost")
            }
        }
        #expect(session.journal.view().entries.isEmpty)
        #expect(proxy.sessions.default?.journal.view().entries.isEmpty == true)
        try await proxy.stop()
    }

    @Test func `programs keep working, by each name of the deck and of the reverse origin`() async throws {
        let proxy = try await Proxy.start { $0.pages.names = ["deck.test"] }
        let session = try proxy.session("one")
        for host in ["127.0.0.1:4747", "localhost", "[::1]:4747", "deck.test:4747", "api.example.test"] {
            #expect(try await proxy.ask(Self.get("/a", host: host)).body == "default", "\(host)")
        }
        #expect(try await proxy.ask(Self.get("/.tapedeck/default/\(Self.base)", host: "deck.test")).body == "default")
        #expect(try await proxy.ask(Self.get("/.tapedeck/\(session.key)/\(Self.base)")).body == "one")
        // The origin's name does not open another session's base URL.
        let base = Self.get("/.tapedeck/\(session.key)/\(Self.base)", host: "api.example.test")
        #expect(try await proxy.ask(base).status == 403)
        try await proxy.stop()
    }

    @Test func `requests that a page cannot send are not checked: an absolute target, a CONNECT`() async throws {
        let proxy = try await Proxy.start()
        for field in Self.foreign {
            #expect(try await proxy.ask(Self.get(Proxy.url, host: "api.example.test", field)).body == "default")
            #expect(try await proxy.ask(Proxy.connect("api.example.test:80", field)).status == 200)
        }
        // An absolute target that names the deck's own base URL is one, however it comes.
        let own = "http://127.0.0.1:\(proxy.listener.address.port ?? 0)/.tapedeck/default/\(Self.base)"
        #expect(try await proxy.ask(Self.get(own, "Origin: http://evil.example")).status == 403)
        try await proxy.stop()
    }

    @Test func `a browser needs the key of another session than the default one for a base URL`() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        for field in ["Origin: http://localhost:3000", "Sec-Fetch-Site: none", "Sec-Fetch-Site: same-origin"] {
            #expect(try await proxy.ask(Self.get("/.tapedeck/\(session.key)/\(Self.base)", field)).body == "one")
            #expect(try await proxy.ask(Self.get("/a", field)).body == "default")
            for fields in [[field], [field, "X-Tapedeck-Session: default"]] {
                let key = fields.count == 1 ? "default" : session.key
                let head = "GET /.tapedeck/\(key)/\(Self.base) HTTP/1.1\r\nHost: localhost\r\n"
                let answer = try await proxy.ask(head + fields.joined(separator: "\r\n") + "\r\n\r\n")
                #expect(answer.status == 403)
                #expect(answer["X-Tapedeck-Reason"] == "sessionRequired")
            }
        }
        try await proxy.stop()
    }

    @Test func `a listed origin may use the deck`() async throws {
        let page = try #require(Origin("http://app.test:3000"))
        let proxy = try await Proxy.start { $0.pages.origins = [page] }
        #expect(try await proxy.ask(Self.get("/a", "Origin: http://app.test:3000")).body == "default")
        #expect(try await proxy.ask(Self.get("/a", "Origin: http://app.test:3001")).status == 403)
        try await proxy.stop()
    }

    /// The rules apply to each request of a connection, whatever was accepted before.
    @Test func `a connection is accepted request by request`() async throws {
        let proxy = try await Proxy.start()
        let client = try await proxy.connect()
        for (host, status) in [("localhost", 200), ("localhost", 200), ("evil.example", 403), ("localhost", 200)] {
            try await client.send(Self.get("/a", host: host))
            #expect(await client.response().status == status)
        }
        try await client.send(Self.get("/a", host: "localhost", "Origin: http://evil.example"))
        #expect(await client.response().status == 403)
        try await proxy.stop()
    }

    /// There Host names origins by design; a base URL is for the deck.
    @Test func `on a transparent port only base URLs are checked`() async throws {
        let proxy = try await Proxy.start { $0.pages.names = [] }
        let port = try await proxy.listener.openTransparentPort(0, originPort: 80)
        let foreign = "Origin: http://evil.example"
        #expect(try await proxy.ask(Self.get("/a", host: "api.example.test", foreign), port: port).body == "default")
        let base = "/.tapedeck/default/\(Self.base)"
        #expect(try await proxy.ask(Self.get(base, host: "evil.example"), port: port).status == 403)
        #expect(try await proxy.ask(Self.get(base, host: "localhost", foreign), port: port).status == 403)
        #expect(try await proxy.ask(Self.get(base, host: "localhost"), port: port).body == "default")
        try await proxy.stop()
    }
}
