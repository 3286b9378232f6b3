import TapedeckCore
import Testing

@testable import TapedeckImport

/// Cassettes of go-vcr 1 to 4, with the quirks of go-yaml 2 and 3.
@Suite struct GoVCRTests {
    private static func v1(_ response: String, body: String = "\"\"", headers: String = "{}") -> String {
        """
        ---
        version: 1
        interactions:
        - request:
            body: \(body)
            form: {}
            headers: \(headers)
            url: http://a.test/
            method: GET
          response:
        \(response.split(separator: "\n").map { "    \($0)\n" }.joined())
        """
    }

    private static func v2(_ response: String, request: String = "url: http://a.test/\nmethod: GET") -> String {
        func indented(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { "        \($0)\n" }.joined()
        }
        return "---\nversion: 2\ninteractions:\n    - id: 0\n      request:\n" + indented(request) + "      response:\n"
            + indented(response)
    }

    static let files: [RecordedFile] = [
        RecordedFile(
            "version 1",
            v1("body: 'hello'\nheaders:\n  X-A:\n  - b\n  - c\nstatus: 200 OK\ncode: 200\nduration: \"\""),
            .plays("GET http://a.test/", 200, "hello", reason: "OK", fields: ["X-A: b", "X-A: c"])
        ),
        RecordedFile(
            "a status that is a number",
            v1("body: x\nheaders: {}\nstatus: 200\ncode: 200\nduration: \"\""),
            .plays("GET http://a.test/", 200, "x", reason: "")
        ),
        RecordedFile(
            "a status without code",
            v1("body: x\nheaders: {}\nstatus: 404 Not Found"),
            .plays("GET http://a.test/", 404, "x", reason: "Not Found")
        ),
        RecordedFile(
            "a duration in nanoseconds",
            v1("body: x\nheaders: {}\nstatus: OK\ncode: 200\nduration: 2500000"),
            .plays("GET http://a.test/", 200, "x", latency: 2)
        ),
        RecordedFile(
            "bytes",
            v1("body: !!binary |\n  UEdETVABDgAECAEBAQAAAAAM\n  AAEC/w==\nheaders: {}\nstatus: 200 OK\ncode: 200"),
            .plays(bytes: [0x50, 0x47, 0x44, 0x4D, 0x50, 1, 14, 0, 4, 8, 1, 1, 1, 0, 0, 0, 0, 12, 0, 1, 2, 0xFF])
        ),
        RecordedFile(
            "a request body in bytes",
            v1("body: x\nheaders: {}\nstatus: 200 OK\ncode: 200", body: "!!binary /w=="),
            .plays(bytes: [0x78], sent: [0xFF])
        ),
        RecordedFile(
            "a text in single quotes over several lines, as go-yaml 2 breaks it",
            v1("body: '{\"a\":1,\n  \"b\":''2''}'\nheaders: {}\nstatus: 200 OK\ncode: 200"),
            .plays("GET http://a.test/", 200, "{\"a\":1, \"b\":'2'}")
        ),
        RecordedFile(
            "version 2 with all its fields",
            v2(
                """
                proto: HTTP/2.0
                proto_major: 2
                proto_minor: 0
                transfer_encoding: []
                trailer: {}
                content_length: 5
                uncompressed: false
                body: hello
                headers:
                    Content-Length:
                        - "5"
                status: 200 OK
                code: 200
                duration: 812.5ms
                """
            ),
            .plays("GET http://a.test/", 200, "hello", reason: "OK", fields: ["Content-Length: 5"], latency: 813)
        ),
        RecordedFile(
            "a duration of minutes",
            v2("body: x\ncode: 200\nduration: 1m2.5s"),
            .plays("GET http://a.test/", 200, "x", latency: 62_500)
        ),
        RecordedFile(
            "a duration of microseconds",
            v2("body: x\ncode: 200\nduration: 1500\u{B5}s"),
            .plays("GET http://a.test/", 200, "x", latency: 2)
        ),
        RecordedFile(
            "a duration that is none",
            v2("body: x\ncode: 200\nduration: soon"),
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile(
            "a body that Go has unpacked",
            v2("uncompressed: true\nbody: text\nheaders:\n    Content-Encoding:\n        - gzip\ncode: 200"),
            .plays("GET http://a.test/", 200, "text", without: ["Content-Encoding"])
        ),
        RecordedFile(
            "a body that came in chunks, which Go keeps apart from the headers",
            v2("transfer_encoding:\n    - chunked\ncontent_length: -1\nbody: x\ncode: 200"),
            .plays("GET http://a.test/", 200, "x", fields: ["Transfer-Encoding: chunked"])
        ),
        RecordedFile(
            "trailers",
            v2("trailer:\n    X-Sum:\n        - abc\nbody: x\ncode: 200"),
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile(
            "a recording at a server: path and host apart",
            v2("body: x\ncode: 200", request: "host: a.test:8080\nrequest_uri: /in?q=1\nurl: /in?q=1\nmethod: POST"),
            .plays("POST http://a.test:8080/in?q=1", 200, "x")
        ),
        RecordedFile(
            "version 4 leaves out what is empty, the method too",
            v2("body: x\ncode: 200", request: "url: http://a.test/"),
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile(
            "a form beside its body is not sent twice",
            v2("code: 204", request: "body: a=1\nform:\n    a:\n        - \"1\"\nurl: http://a.test/\nmethod: POST"),
            .plays("POST http://a.test/", 204, "", sent: "a=1")
        ),
        RecordedFile(
            "escapes of go-yaml",
            v2("body: \"\\u001b[0m\\ttab\\n\\\\ \\xE9 \\U0001F600\"\ncode: 200"),
            .plays("GET http://a.test/", 200, "\u{1B}[0m\ttab\n\\ \u{E9} \u{1F600}")
        ),
        RecordedFile(
            "a literal block with tabs",
            v2("body: |-\n    one\n    \ttwo\n\n    three\ncode: 200"),
            .plays("GET http://a.test/", 200, "one\n\ttwo\n\nthree")
        ),
        RecordedFile(
            "numbers that are texts",
            v2("body: 0123\ncode: 200"),
            .plays("GET http://a.test/", 200, "0123")
        ),
        RecordedFile(
            "a socket of Docker as host",
            v2("body: x\ncode: 200", request: "url: http:///var/run/docker.sock/_ping\nmethod: GET"),
            .leftOut(line: 4, because: "no http or https URL")
        ),
        RecordedFile(
            "several answers to one request, with numbers that are out of order",
            """
            version: 2
            interactions:
                - id: 1
                  request: {url: http://a.test/, method: GET}
                  response: {body: one, code: 200}
                - id: 0
                  request: {url: http://a.test/, method: GET}
                  response: {body: two, code: 200}
            """,
            .plays("GET http://a.test/", 200, "one"),
            .plays("GET http://a.test/", 200, "two")
        ),
        RecordedFile(
            "JSON, whose keys are those of Go",
            #"{"Version": 2, "Interactions": [{"ID": 0, "Request": {"Method": "GET", "URL": "http://a.test/", "Headers": {"X-Code": ["1"]}}, "Response": {"TransferEncoding": ["chunked"], "Body": "hi", "Headers": {"X-A": ["b"]}, "Status": "200 OK", "Code": 200, "Duration": 2500000}}]}"#,
            .plays("GET http://a.test/", 200, "hi", fields: ["X-A: b", "Transfer-Encoding: chunked"], latency: 2)
        ),
    ]

    @Test("plays the same as go-vcr", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.goVCR)
    }

    @Test("trailers come after the body")
    func trailers() throws {
        let text = Self.v2("trailer:\n    X-Sum:\n        - abc\nbody: x\ncode: 200")
        let document = try #require(try ForeignNode.documents(of: Array(text.utf8)).first)
        let exchange = try #require(RecordingFormat.goVCR.entries(of: document).first).result.get()
        #expect(exchange.trailers == [HeaderField("X-Sum", "abc")])
    }
}
