import TapedeckCore
import Testing

@testable import TapedeckImport

/// HTTP Archives with the quirks of browsers and proxies.
@Suite struct HARTests {
    /// An archive of one entry.
    private static func archive(
        request: String = #""method": "GET", "url": "http://a.test/""#,
        response: String,
        entry: String = ""
    ) -> String {
        #"{"log": {"version": "1.2", "creator": {"name": "T", "version": "1"}, "entries": [{"# + entry
            + #""request": {"# + request + #"}, "response": {"# + response + "}}]}}"
    }

    private static func content(_ content: String, _ more: String = "") -> String {
        archive(response: #""status": 200, "content": {"# + content + "}" + more)
    }

    static let files: [RecordedFile] = [
        RecordedFile("a text", content(#""size": 2, "text": "hi""#), .plays(body: "hi")),
        RecordedFile("base64", content(#""text": "AAH/", "encoding": "base64""#), .plays(bytes: [0, 1, 255])),
        RecordedFile(
            "base64 with line ends",
            content(#""text": "AA\r\nH/\n", "encoding": "base64""#),
            .plays(bytes: [0, 1, 255])
        ),
        RecordedFile(
            "base64 that is none",
            content(#""text": "A", "encoding": "base64""#),
            .leftOut(line: 1, because: "no base64")
        ),
        RecordedFile(
            "base64 that somebody wrote over",
            content(#""size": 1096, "text": "MANUALLY REMOVED", "encoding": "base64""#),
            .plays(bytes: [48, 3, 84, 0, 178, 216, 68, 67, 14, 84, 64], note: "said to be of 1096")
        ),
        RecordedFile(
            "a charset in place of a content coding",
            content(#""text": "hi""#, #", "headers": [{"name": "Content-Encoding", "value": "utf-8"}]"#),
            .plays(body: "hi", fields: ["Content-Encoding: utf-8"])
        ),
        RecordedFile("a byte order mark", "\u{FEFF}" + content(#""text": "hi""#), .plays(body: "hi")),
        RecordedFile(
            "no version and no creator",
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.test/"}, "response": {"status": 204}}]}}"#,
            .plays(status: 204)
        ),
        RecordedFile(
            "no log around the entries",
            #"{"entries": [{"request": {"method": "GET", "url": "http://a.test/"}, "response": {"status": 204}}]}"#,
            .plays(status: 204)
        ),
        RecordedFile(
            "the argument of a call, as for HAR Viewer",
            " onInputData(\n" + content(#""text": "(hi)""#) + ");\n",
            .plays(body: "(hi)")
        ),
        RecordedFile("pages alone", #"{"log": {"version": "1.2", "pages": []}}"#),
        RecordedFile(
            "pseudo-headers are dropped",
            content(
                #""text": "x""#,
                #", "headers": [{"name": ":status", "value": "200"}, {"name": "X-A", "value": "1"}]"#
            ),
            .plays(body: "x", fields: ["X-A: 1"], without: [":status"])
        ),
        RecordedFile(
            "fields as pairs",
            content(#""text": "x""#, #", "headers": [["X-A", "1"], ["X-A", "2"]]"#),
            .plays(body: "x", fields: ["X-A: 1", "X-A: 2"])
        ),
        RecordedFile(
            "several values with line ends between them",
            content(#""text": "x""#, #", "headers": [{"name": "Set-Cookie", "value": "a=1\nb=2"}]"#),
            .plays(body: "x", fields: ["Set-Cookie: a=1", "Set-Cookie: b=2"])
        ),
        RecordedFile(
            "a failed request is a fault",
            archive(response: #""status": 0, "_error": "net::ERR_CONNECTION_REFUSED", "content": {}"#),
            .plays(status: 0)
        ),
        RecordedFile(
            "a request that the browser took back",
            archive(response: #""status": 0, "_error": "net::ERR_ABORTED", "content": {}"#),
            .leftOut(line: 1, because: "the client ended the request itself")
        ),
        RecordedFile(
            "Playwright's -1 for a request without a response",
            archive(response: #""status": -1, "_failureText": "net::ERR_CONNECTION_RESET", "content": {"size": -1}"#),
            .plays(status: 0)
        ),
        RecordedFile(
            "an error in the words of mitmproxy",
            archive(response: #""status": 0, "_error": "[Errno 111] Connect call failed", "content": {}"#),
            .plays(status: 0)
        ),
        RecordedFile(
            "a client that went away, in the words of mitmproxy",
            archive(response: #""status": 0, "_error": "Client disconnected.", "content": {}"#),
            .leftOut(line: 1, because: "the client ended the request itself")
        ),
        RecordedFile(
            "bytes that are no UTF-8, as Python writes them",
            content(#""text": "caf\udce9", "size": 4"#, #", "headers": [{"name": "X-A", "value": "caf\udce9"}]"#),
            .plays(bytes: [0x63, 0x61, 0x66, 0xE9], fields: ["X-A: caf\u{10FFE9}"])
        ),
        RecordedFile(
            "control characters in a field",
            content(#""text": "x""#, #", "headers": [{"name": "X-A", "value": "a\u0001b\r\nc\td"}]"#),
            .plays(body: "x", fields: ["X-A: a b c\td"], note: "are played as spaces")
        ),
        RecordedFile(
            "a line break in a URL",
            archive(request: #""method": "GET", "url": "http://a.test/\nX""#, response: #""status": 204"#),
            .leftOut(line: 1, because: "no http or https URL")
        ),
        RecordedFile(
            "a tunnel",
            archive(
                request: #""method": "CONNECT", "url": "https://a.test:443""#,
                response: #""status": 200, "content": {"text": ""}"#
            ),
            .leftOut(line: 1, because: "a CONNECT")
        ),
        RecordedFile(
            "a text that is empty, of another size",
            content(#""text": "", "size": 5"#),
            .leftOut(line: 1, because: "5 bytes")
        ),
        RecordedFile(
            "status 0 without a word",
            archive(response: #""status": 0"#),
            .leftOut(line: 1, because: "its status is 0")
        ),
        RecordedFile(
            "no body in the whole archive",
            content(#""size": 300"#),
            .leftOut(line: 1, because: "archives of T hold no bodies: nothing to play")
        ),
        RecordedFile(
            "a redirect has no body",
            archive(
                response: #""status": 302, "headers": [{"name": "Location", "value": "/b"}], "content": {"size": 90}"#
            ),
            .plays(status: 302, fields: ["Location: /b"])
        ),
        RecordedFile("304", archive(response: #""status": 304, "content": {"size": 90}"#), .plays(status: 304)),
        RecordedFile(
            "HEAD keeps its length",
            archive(
                request: #""method": "HEAD", "url": "http://a.test/""#,
                response:
                    #""status": 200, "headers": [{"name": "Content-Length", "value": "7"}], "content": {"size": 7}"#
            ),
            .plays("HEAD http://a.test/", fields: ["Content-Length: 7"])
        ),
        RecordedFile(
            "a WebSocket",
            archive(response: #""status": 101"#, entry: #""_webSocketMessages": [{"type": "send", "data": "x"}], "#),
            .leftOut(line: 1, because: "WebSocket, of 1 message")
        ),
        RecordedFile(
            "a data URL",
            archive(
                request: #""method": "GET", "url": "data:,x""#,
                response: #""status": 200, "content": {"text": "x"}"#
            ),
            .leftOut(line: 1, because: "no http or https URL")
        ),
        RecordedFile(
            "a form of parameters alone",
            archive(
                request:
                    #""method": "POST", "url": "http://a.test/", "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "b c"}, {"name": "d", "value": "%C3%A9"}]}"#,
                response: #""status": 204"#
            ),
            .plays("POST http://a.test/", 204, sent: "a=b+c&d=%C3%A9")
        ),
        RecordedFile(
            "a multipart form of parameters alone",
            archive(
                request:
                    #""method": "POST", "url": "http://a.test/", "postData": {"mimeType": "multipart/form-data; boundary=B", "params": [{"name": "a", "value": "1", "fileName": "f", "contentType": "text/plain"}]}"#,
                response: #""status": 204"#
            ),
            .plays(
                "POST http://a.test/",
                204,
                sent:
                    "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\nContent-Type: text/plain\r\n\r\n1\r\n--B--\r\n"
            )
        ),
        RecordedFile(
            "times",
            archive(
                response: #""status": 204"#,
                entry:
                    #""startedDateTime": "2026-01-02T03:04:05.600+0100", "time": 1500.4, "timings": {"wait": 120.6}, "#
            ),
            .plays(status: 204, latency: 121, time: "2026-01-02T02:04:07Z")
        ),
        RecordedFile(
            "a text whose size is that of its charset",
            content(
                #""size": 2, "text": "éa""#,
                #", "headers": [{"name": "Content-Type", "value": "text/plain; charset=iso-8859-1"}]"#
            ),
            .plays(bytes: [0xE9, 0x61])
        ),
        RecordedFile(
            "JSON whose size is the number of its characters",
            content(
                ##""size": 3, "text": "\"é\"""##,
                #", "headers": [{"name": "Content-Type", "value": "application/json"}]"#
            ),
            .plays(body: "\"é\"")
        ),
        RecordedFile(
            "a null redirectURL and an empty statusText",
            content(#""text": "x""#, #", "redirectURL": null, "statusText": """#),
            .plays(body: "x")
        ),
        RecordedFile(
            "a body in a file",
            content(#""_file": "b.txt""#),
            .plays(body: "side")
        ),
        RecordedFile(
            "a body in a file that is not there",
            content(#""_file": "../c.txt""#),
            .leftOut(line: 1, because: "'../c.txt', which is not there")
        ),
    ]

    @Test(arguments: files) func plays(_ file: RecordedFile) throws {
        try file.check(as: "har", side: ["b.txt": Array("side".utf8)])
    }

    @Test("a time of 0 is read as no time", arguments: [#""time": 0, "timings": {"wait": 0}, "#, #""time": 0, "#])
    func noTimes(entry: String) throws {
        let text = Self.archive(response: #""status": 204"#, entry: entry)
        let exchange = try #require(
            try HARFile().read(ImportFile(path: "a.har", bytes: Array(text.utf8))).exchanges.first
        )
        #expect(try exchange.result.get().latency == nil)
    }

    @Test func aBrowserErrorBecomesTheMatchingFault() throws {
        let text = Self.archive(response: #""status": 0, "_error": "net::ERR_NAME_NOT_RESOLVED""#)
        let file = ImportFile(path: "a.har", bytes: Array(text.utf8))
        let exchange = try #require(try HARFile().read(file).exchanges.first).result.get()
        #expect(exchange.fault == .nameNotResolved)
    }
}
