import TapedeckCore
import Testing

@testable import TapedeckImport

/// Flow files of mitmproxy.
@Suite struct MitmproxyTests {
    private static func item(_ payload: String, _ type: Character) -> String {
        "\(payload.utf8.count):\(payload)\(type)"
    }
    private static func text(_ text: String) -> String { self.item(text, ";") }
    private static func bytes(_ text: String) -> String { self.item(text, ",") }
    private static func dictionary(_ members: [(String, String)]) -> String {
        self.item(members.map { self.text($0) + $1 }.joined(), "}")
    }
    private static func fields(_ fields: [(String, String)]) -> String {
        self.item(fields.map { self.item(self.bytes($0) + self.bytes($1), "]") }.joined(), "]")
    }

    private static let request = Self.request()

    private static func request(
        _ method: String = "GET",
        _ path: String = "/p",
        scheme: String = "http",
        host: String = "10.0.0.1",
        port: Int = 80,
        authority: String = "",
        headers: [(String, String)] = [("Host", "a.test")],
        content: String = ""
    ) -> String {
        self.dictionary([
            ("method", bytes(method)), ("scheme", bytes(scheme)), ("host", text(host)), ("port", item("\(port)", "#")),
            ("path", bytes(path)), ("authority", bytes(authority)), ("headers", fields(headers)),
            ("content", bytes(content)), ("timestamp_start", item("100.0", "^")),
            ("timestamp_end", item("100.1", "^")),
        ])
    }

    private static func response(
        _ content: String,
        _ status: String = "200",
        headers: [(String, String)] = []
    ) -> String {
        self.dictionary([
            ("status_code", item(status, "#")), ("reason", bytes("OK")), ("headers", fields(headers)),
            ("content", content), ("timestamp_start", item("100.35", "^")), ("timestamp_end", item("101.0", "^")),
        ])
    }

    private static func flow(_ members: [(String, String)]) -> String {
        self.dictionary([("type", text("http"))] + members)
    }

    static let files: [RecordedFile] = [
        RecordedFile(
            "a flow",
            flow([("request", request), ("response", response(bytes("hi")))]),
            .plays("GET http://a.test/p", 200, "hi", latency: 250, time: "1970-01-01T00:01:41Z")
        ),
        RecordedFile(
            "two flows",
            flow([("request", request), ("response", response(bytes("a")))])
                + flow([("request", request), ("response", response(bytes("b"), "404"))]),
            .plays("GET http://a.test/p", 200, "a"),
            .plays("GET http://a.test/p", 404, "b")
        ),
        RecordedFile(
            "an error without a response",
            flow([
                ("request", request), ("response", "0:~"), ("error", dictionary([("msg", text("Connection refused"))])),
            ]),
            .plays("GET http://a.test/p", 0)
        ),
        RecordedFile(
            "no response and no error",
            flow([("request", request), ("response", "0:~"), ("error", "0:~")]),
            .leftOut(line: 1, because: "it has no response")
        ),
        RecordedFile(
            "a body that was streamed",
            flow([("request", request), ("response", response("0:~"))]),
            .leftOut(line: 1, because: "streamed")
        ),
        RecordedFile(
            "a flow of TCP",
            dictionary([("type", text("tcp")), ("messages", item("", "]"))]),
            .leftOut(line: 1, because: "the type tcp")
        ),
        RecordedFile(
            "an upgrade",
            flow([("request", request), ("response", response(bytes(""), "101"))]),
            .leftOut(line: 1, because: "upgrade")
        ),
        RecordedFile(
            "fields of one name keep their order",
            flow([
                ("request", request),
                ("response", response(bytes("x"), headers: [("A", "1"), ("B", "2"), ("A", "3")])),
            ]),
            .plays("GET http://a.test/p", 200, "x", fields: ["A: 1", "B: 2", "A: 3"])
        ),
        RecordedFile(
            "a file that ends within a flow",
            flow([("request", request), ("response", response(bytes("a")))]) + "900:4:type",
            .plays("GET http://a.test/p", 200, "a"),
            .leftOut(line: 2, because: "the file ends within a value of 900 bytes")
        ),
        RecordedFile(
            "values that stand too deep in each other",
            (0..<100).reduce("0:~") { inner, _ in item(inner, "]") },
            .leftOut(line: 1, because: "too deep")
        ),
        RecordedFile(
            "the usual port of https, and another",
            flow([("request", request(scheme: "https", port: 443)), ("response", response(bytes("a")))])
                + flow([("request", request(scheme: "https", port: 8443)), ("response", response(bytes("b")))]),
            .plays("GET https://a.test/p", 200, "a"),
            .plays("GET https://a.test:8443/p", 200, "b")
        ),
        RecordedFile(
            "the name of HTTP/2 is in the authority",
            flow([
                ("request", request(scheme: "https", port: 443, authority: "b.test", headers: [])),
                ("response", response(bytes("a"))),
            ]),
            .plays("GET https://b.test/p", 200, "a")
        ),
        RecordedFile(
            "an address of version 6 without a name",
            flow([("request", request(host: "::1", port: 8080, headers: [])), ("response", response(bytes("a")))]),
            .plays("GET http://[::1]:8080/p", 200, "a")
        ),
        RecordedFile(
            "a URL as a proxy is asked",
            flow([("request", request("GET", "http://c.test/q?x=1")), ("response", response(bytes("a")))]),
            .plays("GET http://c.test/q?x=1", 200, "a")
        ),
        RecordedFile(
            "a tunnel",
            flow([("request", request("CONNECT", "")), ("response", response(bytes("")))]),
            .leftOut(line: 1, because: "opens a tunnel")
        ),
        RecordedFile(
            "a body that is sent, bytes and all",
            flow([("request", request("PUT", content: "a\0b\r\n")), ("response", response(bytes(""), "204"))]),
            .plays("PUT http://a.test/p", 204, sent: "a\0b\r\n")
        ),
        RecordedFile(
            "a body under its content coding, as it came",
            flow([
                ("request", request),
                ("response", response(bytes("not gzip"), headers: [("Content-Encoding", "br"), ("A", "1")])),
            ]),
            .plays("GET http://a.test/p", 200, "not gzip", fields: ["Content-Encoding: br"], isCoded: true)
        ),
        RecordedFile(
            "line ends between flows and at the end",
            flow([("request", request), ("response", response(bytes("a")))]) + "\r\n\n",
            .plays("GET http://a.test/p", 200, "a")
        ),
        RecordedFile(
            "a WebSocket",
            flow([
                ("request", request), ("response", response(bytes(""), "101")),
                ("websocket", dictionary([("messages", item(item(item("1", "#"), "]"), "]"))])),
            ]),
            .leftOut(line: 1, because: "a WebSocket of 1 messages")
        ),
        RecordedFile(
            "flows of DNS and UDP among others",
            dictionary([("type", text("dns"))]) + flow([("request", request), ("response", response(bytes("a")))])
                + dictionary([("type", text("udp"))]),
            .leftOut(line: 1, because: "the type dns"),
            .plays("GET http://a.test/p", 200, "a"),
            .leftOut(line: 3, because: "the type udp")
        ),
        RecordedFile(
            "no request",
            flow([("request", "0:~"), ("response", response(bytes("a")))]),
            .leftOut(line: 1, because: "it has no request")
        ),
        RecordedFile(
            "names of old versions: code and msg",
            flow([
                ("version", item("4", "#")), ("request", request),
                (
                    "response",
                    dictionary([
                        ("code", item("418", "#")), ("msg", bytes("Teapot")), ("headers", fields([])),
                        ("content", bytes("x")),
                    ])
                ),
            ]),
            .plays("GET http://a.test/p", 418, "x", reason: "Teapot")
        ),
        RecordedFile(
            "what else a flow of today has",
            flow([
                ("version", item("21", "#")), ("id", text("u")), ("intercepted", item("false", "!")),
                ("client_conn", dictionary([("peername", item("", "]"))])), ("marked", text(":x:")),
                ("metadata", dictionary([])), ("comment", text("c")), ("backup", "0:~"), ("websocket", "0:~"),
                ("error", "0:~"), ("request", request), ("response", response(bytes("a"))),
            ]),
            .plays("GET http://a.test/p", 200, "a")
        ),
    ]

    @Test(arguments: files) func plays(_ file: RecordedFile) throws {
        try file.check(as: "mitmproxy")
    }

    @Test func keysOfPython2AreBytes() throws {
        let flow = Self.dictionary([("type", Self.text("http")), ("request", Self.request)])
            .replacing("4:type;", with: "4:type,").replacing("7:request;", with: "7:request,")
        let entries = try MitmproxyFlows().read(ImportFile(path: "f", bytes: Array(flow.utf8))).exchanges
        #expect(entries.count == 1)
        #expect(throws: LeftOut("it has no response", line: 1)) { try entries[0].result.get() }
    }
}
