import NIOCore
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// Rules of RFC 9110 and RFC 9112 for what passes through.
@Suite struct WireRulesTests {
    private typealias Proxy = SharedProxy

    private static func request(_ method: String, _ url: String, _ fields: String...) -> String {
        "\(method) \(url) HTTP/1.1\r\nHost: a.test\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    @Test(arguments: ["Content-Length: 3", "Transfer-Encoding: chunked"])
    func `a CONNECT has no body`(_ field: String) async throws {
        let proxy = try await Proxy.start()
        let answer = try await proxy.ask(Proxy.connect("api.example.test:80", field))
        #expect(answer.status == 400)
        #expect(answer.body.contains("CONNECT has no body"), "\(answer.body)")
        #expect(try await proxy.ask(Proxy.connect("api.example.test:80", "Content-Length: 0")).status == 200)
        try await proxy.stop()
    }

    @Test func `a body without progress is refused`() async throws {
        let proxy = try await Proxy.start { $0.bodyTimeout = .milliseconds(20) }
        for url in [Proxy.url, "http://api.example.test/other"] {
            let client = try await proxy.connect()
            try await client.send(Self.request("POST", url, "Content-Length: 9") + "abc")
            let (bytes, ending) = await client.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
            #expect(ending == .closed)
        }
        try await proxy.stop()
        #expect(proxy.context.usage == DeckUsage())
    }

    @Test func `a forwarded body without progress ends the exchange with its origin`() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await ScriptedOrigin.start()
        let session = try proxy.passthrough()
        var configuration = proxy.context.configuration
        // Long enough for the head to reach the origin first, on a slow machine too.
        configuration.bodyTimeout = .milliseconds(500)
        try await proxy.context.replace(configuration, checksTrust: false)
        let client = try await proxy.connect()
        let head = Self.request("POST", "\(origin.url)/a", Proxy.header(session.key), "Content-Length: 9")
        // The origin of these tests takes the end of a head for that of a request.
        try await client.send(head)
        let asked = try #require(await origin.asked())
        let (bytes, _) = await client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        try await asked.untilClosed()
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func `Tapedeck's own header fields are removed from an origin's answer`() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await FixedOrigin.start(
            "HTTP/1.1 200 OK\r\nX-Tapedeck-Unmatched: true\r\nx-tapedeck-fault: hang\r\nX-Other: 1\r\n",
            body: Array("a".utf8)
        )
        let session = try proxy.passthrough()
        let answer = try await proxy.ask(Self.request("GET", "\(origin.url)/a", Proxy.header(session.key)))
        #expect(answer.status == 200)
        #expect(answer["X-Other"] == "1")
        #expect(!answer.fields.contains { $0.name.lowercased().hasPrefix("x-tapedeck") })
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func `trailers that may not be sent are left out`() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await ScriptedOrigin.start()
        let session = try proxy.passthrough()
        let client = try await proxy.connect()
        try await client.send(
            Self.request("GET", "\(origin.url)/a", Proxy.header(session.key), "Connection: close")
        )
        let asked = try #require(await origin.asked())
        try await asked.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
                + "Content-Length: 7\r\nX-Sum: 1\r\nset-cookie: a=b\r\nX-Tapedeck-Reason: x\r\nHost: evil.example\r\n\r\n"
        )
        let text = String(decoding: await client.readToEnd().bytes, as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"), "\(text)")
        try await proxy.stop()
        try await origin.stop()
    }

    @Test(arguments: [("TRACE", "message/http"), ("OPTIONS", "text/plain; charset=utf-8")])
    func `a request with Max-Forwards 0 is answered by the proxy`(_ method: String, _ type: String) async throws {
        let proxy = try await Proxy.start(dials: true)
        let session = try proxy.passthrough()
        // Nothing listens there.
        let answer = try await proxy.ask(
            Self.request(
                method,
                "http://127.0.0.1:1/a",
                Proxy.header(session.key),
                "Max-Forwards: 0",
                "Cookie: secret=1",
                "X-Mine: 2"
            )
        )
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == type)
        #expect(answer.body.contains("X-Mine: 2") == (method == "TRACE"))
        #expect(!answer.body.contains("secret"))
        try await proxy.stop()
    }

    @Test func `Max-Forwards counts down`() {
        var fields = [HeaderField("Max-Forwards", "3")]
        #expect(MaxForwards.decrement(&fields) == 2)
        #expect(fields == [HeaderField("Max-Forwards", "2")])
        fields = [HeaderField("max-forwards", "many")]
        #expect(MaxForwards.decrement(&fields) == nil)
        #expect(!MaxForwards.applies(to: "GET"))
    }

    @Test func `a handshake that the origin breaks off is not a refused connection`() async throws {
        let proxy = try await Proxy.start(dials: true) { $0.insecureHosts = ["127.0.0.1"] }
        let session = try proxy.passthrough()
        let origin = try await ClosingOrigin.start()
        for _ in 0..<2 {
            let url = "https://127.0.0.1:\(origin.port)/a"
            let answer = try await proxy.ask(Self.request("GET", url, Proxy.header(session.key)))
            #expect(answer.status == 502)
            #expect(answer["X-Tapedeck-Fault"] == "tlsHandshake", "\(answer.body)")
            #expect(answer.body.contains("during the handshake"), "\(answer.body)")
        }
        try await proxy.stop()
        try await origin.stop()
    }
}
