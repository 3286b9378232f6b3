import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

@Suite struct LocalSiteTests {
    private static func proxy(hasDefault: Bool) async throws -> SharedProxy {
        try await SharedProxy.start(hasDefault: hasDefault) { configuration in
            configuration.localSite = { proxyURL in
                let page = LocalPage(
                    mediaType: "text/html",
                    body: Array("<p>trust \(proxyURL)".utf8),
                    headers: [HeaderField("X-Frame-Options", "DENY")]
                )
                return ["/": page]
            }
        }
    }

    @Test(arguments: [true, false])
    func theSiteNeedsNoSessionAndIsNotJournaled(_ hasDefault: Bool) async throws {
        let proxy = try await Self.proxy(hasDefault: hasDefault)
        for url in ["http://tapedeck.local/", "http://Tapedeck.Local:80/?a=b", "http://tapedeck.local"] {
            let answer = try await proxy.ask(SharedProxy.get(url, SharedProxy.header("nobody")))
            #expect(answer.status == 200)
            #expect(answer.body == "<p>trust http://127.0.0.1:\(proxy.listener.address.port ?? 0)")
            #expect(answer["content-type"] == "text/html")
            #expect(answer["x-frame-options"] == "DENY")
        }
        #expect(try await proxy.ask(SharedProxy.get("http://tapedeck.local/other")).status == 404)
        let post = "POST http://tapedeck.local/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
        #expect(try await proxy.ask(post).status == 405)
        #expect(proxy.sessions.default?.journal.view().seen ?? 0 == 0)
        #expect(proxy.context.connectionsOpened == 0)
        try await proxy.stop()
    }

    @Test func headGetsOnlyTheHeadAndTheConnectionStaysOpen() async throws {
        let proxy = try await Self.proxy(hasDefault: true)
        let client = try await proxy.connect()
        try await client.send("HEAD http://tapedeck.local/ HTTP/1.1\r\nHost: a\r\n\r\n")
        let page = "<p>trust http://127.0.0.1:\(proxy.listener.address.port ?? 0)"
        #expect(await client.response(isHead: true)["content-length"] == String(page.utf8.count))
        try await client.send(SharedProxy.get())
        #expect(await client.response().body == "default")
        try await proxy.stop()
    }

    @Test func theSiteIsReachableThroughATunnelWithoutASession() async throws {
        let proxy = try await Self.proxy(hasDefault: false)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.connect("tapedeck.local:80"))
        #expect(await client.response().status == 200)
        try await client.send(SharedProxy.get("/"))
        #expect(await client.response().body == "<p>trust http://127.0.0.1:\(proxy.listener.address.port ?? 0)")
        try await proxy.stop()
    }
}
