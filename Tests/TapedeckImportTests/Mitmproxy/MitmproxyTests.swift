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

    private static let request = Self.dictionary([
        ("method", bytes("GET")), ("scheme", bytes("http")), ("host", text("10.0.0.1")), ("port", item("80", "#")),
        ("path", bytes("/p")), ("headers", fields([("Host", "a.test")])), ("content", bytes("")),
        ("timestamp_start", item("100.0", "^")), ("timestamp_end", item("100.1", "^")),
    ])

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
