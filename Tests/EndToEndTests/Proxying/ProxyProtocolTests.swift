import Foundation
import TestShare
import Testing

/// The proxy's side of HTTP/1.1, byte by byte.
@Suite(.ownThreads) struct ProxyProtocolTests {
    private let folder: TestFolder
    private let origin: Origin
    private let deck: TapedeckProcess

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder)
        self.deck = try self.folder.serve("record", "x", "--upstream-ca", self.origin.authorityPath)
    }

    private func connect() throws -> RawConnection {
        try RawConnection(port: self.deck.port)
    }

    private var authority: String { "localhost:\(self.origin.port(.http))" }

    private func get(_ path: String, version: String = "1.1", extra: String = "") -> String {
        "GET \(self.origin.url(path)) HTTP/\(version)\r\nHost: \(self.authority)\r\n\(extra)\r\n"
    }

    @Test func `absolute-form reaches the origin as origin-form, with Host and without hop-by-hop fields`() throws {
        let client = try self.connect()
        client.send(
            "GET \(self.origin.url("/echo?q=1")) HTTP/1.1\r\nHost: wrong.example.com\r\nUser-Agent: raw\r\n"
                + "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic ZGVmYXVsdDo=\r\nConnection: X-Named\r\n"
                + "X-Named: gone\r\nKeep-Alive: 5\r\nX-MiXeD: Kept\r\n\r\n"
        )
        #expect(try client.response().text == "GET /echo?q=1\n\n")
        let seen = try #require(try self.origin.requests().first)
        #expect(seen.target == "/echo?q=1")
        #expect(seen.headers == [["Host", self.authority], ["User-Agent", "raw"], ["X-MiXeD", "Kept"]])
        try self.deck.stop()
    }

    @Test func `a connection serves many requests, upstream too`() throws {
        let client = try self.connect()
        for number in 1...5 {
            client.send(self.get("/counter", extra: "Proxy-Connection: keep-alive\r\n"))
            #expect(try client.response().text == #"{"count":\#(number)}"#)
        }
        #expect(Set(try self.origin.requests().map(\.connection)).count == 1)
        #expect(try self.deck.stop().errorText.contains("5 exchanges recorded, 1 connection opened upstream"))
    }

    @Test func `pipelined requests are answered in order`() throws {
        let client = try self.connect()
        let paths = ["/delay?ms=100", "/counter", "/binary?size=200000", "/counter", "/404", "/empty"]
        client.send(paths.map { self.get($0) }.joined())
        let answers = try paths.map { _ in try client.response() }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 404, 200])
        #expect(answers[1].text == #"{"count":1}"#)
        #expect(answers[2].body.count == 200_000)
        #expect(answers[3].text == #"{"count":2}"#)
        #expect(try self.origin.requests().map(\.target) == paths)
        try self.deck.stop()
    }

    @Test func `a client of HTTP 1.0 gets no chunks and an end`() throws {
        let client = try self.connect()
        client.send(self.get("/chunked", version: "1.0"))
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!text.lowercased().contains("transfer-encoding"))
        #expect(text.hasSuffix("x\nlast\n"))
        #expect(text.contains("\r\n\r\nfirst,second,third,xxx"))
        let kept = try self.connect()
        for _ in 1...2 {
            kept.send(self.get("/json", version: "1.0", extra: "Connection: keep-alive\r\n"))
            #expect(try kept.response().values("connection") == ["keep-alive"])
        }
        try self.deck.stop()
    }

    @Test func `Connection close is honoured`() throws {
        let client = try self.connect()
        client.send(self.get("/json", extra: "Connection: close\r\n"))
        let text = try client.readToEnd()
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("}"))
        try self.deck.stop()
    }

    @Test(arguments: ["1.0", "1.1"])
    func `CONNECT may carry plain HTTP`(_ version: String) throws {
        let client = try self.connect()
        client.send("CONNECT \(self.authority) HTTP/\(version)\r\nHost: \(self.authority)\r\n\r\n")
        #expect(try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        for number in 1...2 {
            client.send("GET /counter HTTP/1.1\r\nHost: \(self.authority)\r\n\r\n")
            #expect(try client.response().text == #"{"count":\#(number)}"#)
        }
        try self.deck.stop()
        #expect(try self.folder.read("cassettes/x.yaml").contains("url: \(self.origin.url("/counter"))\n"))
    }

    @Test func `CONNECT of HTTP 1.0 carries TLS`() throws {
        let result = try self.folder.run(
            Curl.through(self.deck) + ["--proxy1.0", self.deck.url, self.origin.url("/json", .https)]
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasPrefix(#"{"name":"Tapedeck""#))
        try self.deck.stop()
    }

    @Test func `an IPv6 literal is an origin like any other`() throws {
        guard let port = self.origin.portIPv6 else { return }
        let url = "http://[::1]:\(port)/counter"
        #expect(try self.folder.curl(self.deck, "-g", url).outputText == #"{"count":1}"#)
        #expect(try self.folder.curl(self.deck, "-g", "--proxytunnel", url).outputText == #"{"count":2}"#)
        try self.deck.stop()
        #expect(try self.folder.read("cassettes/x.yaml").contains("http://[::1]:\(port)/counter"))
        let replay = try self.folder.serve("replay", "x")
        #expect(try self.folder.curl(replay, "-g", url).outputText == #"{"count":1}"#)
        try replay.stop()
    }

    @Test func `Expect 100-continue is answered by the origin before the body goes`() throws {
        let client = try self.connect()
        let head = "Host: \(self.authority)\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        client.send("POST \(self.origin.url("/continue")) HTTP/1.1\r\n" + head)
        #expect(try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
        client.send("hello")
        #expect(try client.response().text.contains(#""length":5"#))
        // A client that wants no body is refused at once.
        let refused = try self.connect()
        refused.send("POST \(self.origin.url("/status/417")) HTTP/1.1\r\n" + head)
        #expect(try refused.response().status == 417)
        refused.close()
        try self.deck.stop()
    }

    @Test func `an upgraded connection is a tunnel, and the report says that it was not recorded`() throws {
        let client = try self.connect()
        client.send(
            self.get(
                "/upgrade",
                extra: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            )
        )
        let head = try client.read(through: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        for bytes in ["any bytes", "\u{0}\u{1}\u{FF} at all", "GET / HTTP/1.1\r\n\r\n"] {
            client.send(bytes)
            #expect(try client.read(count: bytes.unicodeScalars.count) == bytes.unicodeScalars.map { UInt8($0.value) })
        }
        client.finishSending()
        #expect(try client.readToEnd() == "")
        let report = try self.deck.stop().errorText
        #expect(report.contains("not recorded: GET \(self.origin.url("/upgrade"))"), "\(report)")
        #expect(!self.folder.exists("cassettes/x.yaml"))
    }

    @Test(
        arguments: some(of: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "Content-Length: 5, 6\r\n\r\nhello",
            "Content-Length: +5\r\n\r\nhello",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 0x5\r\n\r\nhello",
            "Content-Length: 99999999999999999999999\r\n\r\n",
            "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5;a=\rb\r\nhello\r\n0\r\n\r\n",
            "X-Folded: one\r\n two\r\n\r\n",
            "X-Bare: a\rb\r\n\r\n",
            "X-Nul: a\u{0}b\r\n\r\n",
            "X Space: a\r\n\r\n",
            "X-Before-Colon : a\r\n\r\n",
            " X-Leading: a\r\n\r\n",
            ": nameless\r\n\r\n",
            "no colon\r\n\r\n",
            "Host: another.example.com\r\n\r\n",
        ])
    )
    func `a shape that another reader could take for another message is refused`(_ rest: String) throws {
        let client = try self.connect()
        let smuggled = self.get("/echo?smuggled")
        client.send("POST \(self.origin.url("/echo")) HTTP/1.1\r\nHost: \(self.authority)\r\n" + rest + smuggled)
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(text)")
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.contains(#""error": "malformedRequest""#))
        #expect(text.matches(of: #/HTTP/1\.1 /#).count == 1, "\(text)")
        #expect(try self.origin.requests().filter(\.complete).map(\.target) == [])
        // Others are served as before.
        #expect(try self.folder.curl(self.deck, self.origin.url("/counter")).outputText == #"{"count":1}"#)
        try self.deck.stop()
    }

    @Test(arguments: [
        "GET /path HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    ])
    func `a request to the proxy itself is a 400 that helps`(_ request: String) throws {
        let client = try self.connect()
        client.send(request)
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(text.contains("this is a proxy and the request names no origin"))
        #expect(text.contains("--reverse ORIGIN"))
        try self.deck.stop()
    }

    @Test func `a request for the proxy's own address is refused instead of going round`() throws {
        for host in ["127.0.0.1", "localhost"] {
            let result = try self.folder.curl(self.deck, "-i", "http://\(host):\(self.deck.port)/json")
            #expect(result.outputText.hasPrefix("HTTP/1.1 508 Loop Detected\r\n"), "\(result.outputText)")
        }
        #expect(try self.deck.stop().errorText.contains("0 connections opened upstream"))
    }

    @Test(
        arguments: some(of: [
            ("GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n", 400),
            ("GET http:// HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n\r\n", 400),
            ("CONNECT example.com:99999 HTTP/1.1\r\nHost: example.com\r\n\r\n", 400),
            ("GET http://example.com/ HTTP/2.0\r\nHost: example.com\r\n\r\n", 505),
            ("hello\r\n\r\n", 400),
        ])
    )
    func `a request line that cannot be served is refused`(_ request: String, status: Int) throws {
        let client = try self.connect()
        client.send(request)
        let text = try client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
        try self.deck.stop()
    }

    @Test func `bytes reach the client as they arrive`() throws {
        let client = try self.connect()
        client.send(self.get("/slow-chunks?n=3&key=slow"))
        #expect(try client.read(through: "\r\n\r\n").contains("Transfer-Encoding: chunked"))
        for number in 1...3 {
            // Only now does the origin send the next one.
            try self.origin.release(key: "slow")
            #expect(try client.read(through: "chunk \(number)\n").hasSuffix("chunk \(number)\n"))
        }
        _ = try client.read(through: "0\r\n\r\n")
        try self.deck.stop()
        let replay = try self.folder.serve("replay", "x")
        let replayed = try self.folder.curl(replay, self.origin.url("/slow-chunks?n=3&key=slow"))
        #expect(replayed.outputText == "chunk 1\nchunk 2\nchunk 3\n")
        try replay.stop()
    }

    @Test func `an upload reaches the origin with its trailers and framing`() throws {
        let client = try self.connect()
        client.send(
            "POST \(self.origin.url("/upload")) HTTP/1.1\r\nHost: \(self.authority)\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nX-Sum: 6\r\n\r\n"
        )
        #expect(try client.response().text.contains(#""length":6"#))
        #expect(try self.origin.requests().first?.values("transfer-encoding") == ["chunked"])
        try self.deck.stop()
    }

    @Test func `a tunnel that is neither TLS nor HTTP is closed and reported`() throws {
        let client = try self.connect()
        client.send("CONNECT \(self.authority) HTTP/1.1\r\nHost: \(self.authority)\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        client.send("\u{0}\u{1}\u{2}")
        #expect(try client.readToEnd() == "")
        #expect(try self.deck.stop().errorText.contains("neither TLS nor HTTP"))
    }

    @Test func `a client that leaves in the middle leaves nothing half recorded`() throws {
        let client = try self.connect()
        client.send(self.get("/slow-chunks?n=2&key=gone"))
        _ = try client.read(through: "\r\n\r\n")
        client.abort()
        #expect(try self.folder.curl(self.deck, self.origin.url("/json")).exitCode == 0)
        #expect(try self.deck.stop().errorText.contains("1 exchange recorded"))
        #expect(!(try self.folder.read("cassettes/x.yaml").contains("slow-chunks")))
    }
}
