import TapedeckCore
import Testing

@testable import TapedeckImport

/// Cassettes of Python's Betamax, and tapes of Betamax for the JVM, which only share a name.
@Suite struct BetamaxTests {
    private static func json(
        _ response: String,
        request: String = #""body": {"encoding": "utf-8", "string": ""}, "headers": {}"#
    ) -> String {
        #"{"http_interactions": [{"request": {"method": "GET", "uri": "http://a.test/", "# + request
            + #"}, "response": {"# + response
            + #"}, "recorded_at": "2013-12-11T19:11:51"}], "recorded_with": "betamax/0.8.1"}"#
    }

    private static let ok = #""status": {"code": 200, "message": "OK"}, "url": "http://a.test/", "#
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    static let files: [RecordedFile] = [
        RecordedFile(
            "a text, and a time without a zone",
            json(ok + #""headers": {"A": ["1", "2"]}, "body": {"encoding": "utf-8", "string": "hi"}"#),
            .plays(
                "GET http://a.test/",
                200,
                "hi",
                reason: "OK",
                fields: ["A: 1", "A: 2"],
                time: "2013-12-11T19:11:51Z"
            )
        ),
        RecordedFile(
            "base64 and an empty text: base64 counts",
            json(
                ok + #""headers": {"Content-Encoding": ["gzip"]}, "body": {"encoding": "utf-8", "string": "", "#
                    + #""base64_string": "H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA=="}"#
            ),
            .plays(bytes: gzip, fields: ["Content-Encoding: gzip"])
        ),
        RecordedFile(
            "headers that are texts",
            json(ok + #""headers": {"A": "1", "b": "x, y"}, "body": {"encoding": "utf-8", "string": ""}"#),
            .plays("GET http://a.test/", 200, "", fields: ["A: 1", "b: x, y"])
        ),
        RecordedFile(
            "the status of old",
            json(#""status_code": 201, "url": "", "headers": {}, "body": {"encoding": "utf-8", "string": "x"}"#),
            .plays("GET http://a.test/", 201, "x")
        ),
        RecordedFile(
            "bodies that are texts alone",
            json(ok + #""headers": {}, "body": "bare""#, request: #""body": "sent", "headers": {"A": "1"}"#),
            .plays("GET http://a.test/", 200, "bare", sent: "sent")
        ),
        RecordedFile(
            "encoding null",
            json(ok + #""headers": {}, "body": {"encoding": null, "string": "caf\u00e9"}"#),
            .plays("GET http://a.test/", 200, "caf\u{E9}")
        ),
        RecordedFile(
            "a text in the encoding of its content type",
            json(ok + #""headers": {}, "body": {"encoding": "ISO-8859-1", "string": "caf\u00e9"}"#),
            .plays(bytes: [0x63, 0x61, 0x66, 0xE9])
        ),
        RecordedFile(
            "a text that its encoding cannot write, which Betamax cannot play",
            json(ok + #""headers": {}, "body": {"encoding": "ISO-8859-1", "string": "\u20ac"}"#),
            .leftOut(line: 1, because: "ISO-8859-1")
        ),
        RecordedFile(
            "a request body in base64",
            json(
                ok + #""headers": {}, "body": {"encoding": "utf-8", "string": "x"}"#,
                request: #""body": {"encoding": "utf-8", "base64_string": "AP8="}, "headers": {}"#
            ),
            .plays(bytes: [0x78], sent: [0, 0xFF])
        ),
        RecordedFile(
            "characters beyond 16 bits, as pairs",
            json(ok + #""headers": {}, "body": {"encoding": "utf-8", "string": "\ud83d\ude00 \/ \b"}"#),
            .plays("GET http://a.test/", 200, "\u{1F600} / \u{08}")
        ),
        RecordedFile(
            "half a pair",
            json(ok + #""headers": {}, "body": {"encoding": "utf-8", "string": "\ud83d"}"#),
            .plays("GET http://a.test/", 200, "\u{FFFD}")
        ),
        RecordedFile(
            "a length that is wrong",
            json(ok + #""headers": {"content-length": ["999"]}, "body": {"encoding": "utf-8", "string": "abc"}"#),
            .plays("GET http://a.test/", 200, "abc", fields: ["content-length: 3"])
        ),
        RecordedFile(
            "a header value whose characters are bytes",
            json(ok + #""headers": {"X-Latin": ["caf\u00e9"]}, "body": {"string": ""}"#),
            .plays("GET http://a.test/", 200, "", fields: ["X-Latin: caf\(ByteText.string(from: [0xE9]))"])
        ),
        RecordedFile("no interactions", #"{"http_interactions": [], "recorded_with": "betamax/0.4.2"}"#),
        RecordedFile(
            "a message that is null",
            json(#""status": {"code": 204, "message": null}, "url": "", "headers": {}, "body": {"string": ""}"#),
            .plays("GET http://a.test/", 204, "", reason: "")
        ),
        RecordedFile("body null", json(ok + #""headers": {}, "body": null"#), .plays()),
        RecordedFile(
            "a damaged gzip body is played damaged",
            json(ok + #""headers": {"Content-Encoding": ["gzip"]}, "body": {"base64_string": "H4sIAAAA"}"#),
            .plays(bytes: [0x1F, 0x8B, 8, 0, 0, 0], fields: ["Content-Encoding: gzip"])
        ),
        RecordedFile(
            "a coding named, and the body without it",
            json(ok + #""headers": {"Content-Encoding": ["gzip"]}, "body": {"string": "text"}"#),
            .plays("GET http://a.test/", 200, "text", fields: ["Content-Encoding: gzip"], isCoded: true)
        ),
        RecordedFile(
            "base64 that is none",
            json(ok + #""headers": {}, "body": {"base64_string": "A"}"#),
            .leftOut(line: 1, because: "base64")
        ),
        RecordedFile(
            "a placeholder in the URI",
            #"""
            {"http_interactions": [{"request": {"method": "GET", "uri": "<HOST>/x", "headers": {}, "body": ""},
            "response": {"status": {"code": 200}, "headers": {}, "body": ""}}], "recorded_with": "betamax"}
            """#,
            .plays("GET https://host.test/x")
        ),
        RecordedFile(
            "no method",
            #"""
            {"http_interactions": [{"request": {"uri": "http://a.test/", "headers": {}, "body": ""},
            "response": {"status": {"code": 200}, "headers": {}, "body": ""}}], "recorded_with": "betamax"}
            """#,
            .plays()
        ),
    ]

    @Test("plays the same as Betamax", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.betamax)
    }

    private static func tape(_ response: String, request: String = "method: GET\nuri: http://a.test/") -> String {
        func indented(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)\n" }.joined()
        }
        return "!tape\nname: a tape\ninteractions:\n- recorded: 2016-02-12T00:03:37.243Z\n  request:\n"
            + indented(request)
            + "  response:\n" + indented(response)
    }

    static let tapes: [RecordedFile] = [
        RecordedFile(
            "a text and its time",
            tape("status: 200\nheaders:\n  Content-Type: text/plain\nbody: Hello from Betamax"),
            .plays(
                "GET http://a.test/",
                200,
                "Hello from Betamax",
                fields: ["Content-Type: text/plain"],
                time: "2016-02-12T00:03:37Z"
            )
        ),
        RecordedFile("no body", tape("status: 204\nheaders: {}"), .plays("GET http://a.test/", 204)),
        RecordedFile("no headers", tape("status: 200\nbody: x"), .plays("GET http://a.test/", 200, "x")),
        RecordedFile("bytes", tape("status: 200\nbody: !!binary |-\n  AP8="), .plays(bytes: [0, 0xFF])),
        RecordedFile("bytes in quotes", tape("status: 200\nbody: !!binary \"AP8=\""), .plays(bytes: [0, 0xFF])),
        RecordedFile(
            "a body in a file beside the tape",
            tape("status: 200\nbody: !file 'tape/body.txt'"),
            .plays("GET http://a.test/", 200, "from a file")
        ),
        RecordedFile(
            "a body in a file that is not there",
            tape("status: 200\nbody: !file '../../etc/passwd'"),
            .leftOut(line: 10, because: "../../etc/passwd")
        ),
        RecordedFile(
            "a literal block without its last line end",
            tape("status: 200\nbody: |-\n  {\n    \"a\": 1\n  }"),
            .plays("GET http://a.test/", 200, "{\n  \"a\": 1\n}")
        ),
        RecordedFile(
            "a body that is a number to YAML",
            tape("status: 200\nbody: '0'", request: "method: POST\nuri: http://a.test/\nbody: 0x10"),
            .plays("POST http://a.test/", 200, "0", sent: "0x10")
        ),
        RecordedFile(
            "a folded header",
            tape("status: 200\nheaders:\n  P3P: CP=\"a\n    b\"\nbody: x"),
            .plays("GET http://a.test/", 200, "x", fields: ["P3P: CP=\"a b\""])
        ),
        RecordedFile(
            "a header value with ': ' in quotes",
            tape("status: 200\nheaders:\n  'X': 'a: b'\nbody: x"),
            .plays("GET http://a.test/", 200, "x", fields: ["X: a: b"])
        ),
        RecordedFile(
            "SnakeYAML's breaks in double quotes",
            tape("status: 200\nbody: \"<a href=\\\"\\\n    x\\\">\\n\\\n    \\tb\""),
            .plays("GET http://a.test/", 200, "<a href=\"x\">\n\tb")
        ),
        RecordedFile(
            "a coding named, and the body without it",
            tape("status: 200\nheaders:\n  Content-Encoding: gzip\nbody: text"),
            .plays("GET http://a.test/", 200, "text", fields: ["Content-Encoding: gzip"], isCoded: true)
        ),
        RecordedFile(
            "a chunked answer",
            tape("status: 200\nheaders:\n  Transfer-Encoding: chunked\nbody: x"),
            .plays("GET http://a.test/", 200, "x", fields: ["Transfer-Encoding: chunked"])
        ),
        RecordedFile(
            "a status of no class is played all the same",
            tape("status: 902\nbody: x"),
            .plays("GET http://a.test/", 902, "x")
        ),
        RecordedFile("a status that is none", tape("status: 20\nbody: x"), .leftOut(line: 4, because: "status 20")),
        RecordedFile(
            "a connection's own fields",
            tape("status: 200\nheaders:\n  Connection: keep-alive\n  Keep-Alive: timeout=5\nbody: x"),
            .plays("GET http://a.test/", 200, "x", without: ["Connection", "Keep-Alive"])
        ),
        RecordedFile(
            "a proxied request",
            tape(
                "status: 200\nbody: x",
                request: "method: GET\nuri: http://a.test/\nheaders:\n  Proxy-Connection: Keep-Alive"
            ),
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile(
            "a tape without a tag",
            """
            name: t
            interactions:
            - recorded: 2014-01-27T01:03:19.972Z
              request: {method: GET, uri: http://a.test/}
              response: {status: 200, body: x}
            """,
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile("an empty tape", "!tape\nname: t\ninteractions: []\n"),
    ]

    static let sides = ["tape/body.txt": Array("from a file".utf8)]

    @Test("plays the same as Betamax for the JVM", arguments: tapes)
    func playsTapes(_ file: RecordedFile) throws {
        try file.check(.tape, side: Self.sides)
    }
}
