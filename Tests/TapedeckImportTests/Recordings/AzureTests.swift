import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckImport

/// Recordings of the Azure SDK's test proxy.
@Suite struct AzureTests {
    private static func recording(
        _ body: String,
        type: String? = "application/json",
        more: String = "",
        request: String = "null"
    ) -> String {
        let headers = type.map { #""Content-Type": "\#($0)""# } ?? ""
        return #"""
            {"Entries": [{"RequestUri": "http://a.test/", "RequestMethod": "GET", "RequestHeaders": {\#(headers)},
            "RequestBody": \#(request), "StatusCode": 200, "ResponseHeaders": {\#(headers)\#(more)},
            "ResponseBody": \#(body)}], "Variables": {}}
            """#
    }

    static let files: [RecordedFile] = [
        RecordedFile("no body", recording("null"), .plays()),
        RecordedFile("an empty body", recording("[]", type: nil), .plays()),
        RecordedFile(
            "an object, as the test proxy writes it",
            recording(#"{ "a":  1.0, "b": [ null, true ] }"#),
            .plays("GET http://a.test/", 200, #"{"a":1.0,"b":[null,true]}"#)
        ),
        RecordedFile("a number", recording("12.50"), .plays("GET http://a.test/", 200, "12.50")),
        RecordedFile("true", recording("true"), .plays("GET http://a.test/", 200, "true")),
        RecordedFile(
            "JSON as a text is written anew",
            recording(#""[ 1, \"é\" ]""#),
            .plays("GET http://a.test/", 200, #"[1,"é"]"#)
        ),
        RecordedFile("the text null", recording(#""null""#), .plays("GET http://a.test/", 200, "null")),
        RecordedFile("JSON that is none", recording(#""{ oops""#), .plays("GET http://a.test/", 200, "{ oops")),
        RecordedFile(
            "characters beyond 16 bits are escaped",
            recording("{\"a\": \"\u{1F600}\"}"),
            .plays("GET http://a.test/", 200, #"{"a":"\uD83D\uDE00"}"#)
        ),
        RecordedFile(
            "lines of a text",
            recording(#"["one\r\n", "two\n", "three"]"#, type: "text/plain"),
            .plays("GET http://a.test/", 200, "one\r\ntwo\nthree")
        ),
        RecordedFile("XML", recording(#""<a/>""#, type: "application/xml"), .plays("GET http://a.test/", 200, "<a/>")),
        RecordedFile(
            "a form",
            recording(#""a=1&b=2""#, type: "application/x-www-form-urlencoded"),
            .plays("GET http://a.test/", 200, "a=1&b=2")
        ),
        RecordedFile(
            "a type with a charset",
            recording(#""text""#, type: "application/octet-stream; charset=utf-8"),
            .plays("GET http://a.test/", 200, "text")
        ),
        RecordedFile("bytes", recording(#""AP8=""#, type: "application/octet-stream"), .plays(bytes: [0, 0xFF])),
        RecordedFile("bytes without a type", recording(#""AP8=""#, type: nil), .plays(bytes: [0, 0xFF])),
        RecordedFile(
            "a manifest of a container, which must keep its bytes",
            recording(#""eyAiYSI6IDEgfQ==""#, type: "application/vnd.docker.distribution.manifest.v2+json"),
            .plays("GET http://a.test/", 200, #"{ "a": 1 }"#)
        ),
        RecordedFile(
            "bytes that are none",
            recording(#""not base64 at all!""#, type: "image/png"),
            .leftOut(line: 3, because: "base64")
        ),
        RecordedFile(
            "a multipart request with a binary part and a list of parts",
            recording(
                "null",
                type: "multipart/mixed; boundary=b",
                request: ##"["--b\r\n", "\r\n", "b64:AP8=", "\r\n", ["--c\r\n", "x\r\n", "--c--\r\n"], "--b--\r\n"]"##
            ),
            .plays(
                bytes: [],
                sent: Array("--b\r\n\r\n".utf8) + [0, 0xFF] + Array("\r\n--c\r\nx\r\n--c--\r\n--b--\r\n".utf8)
            )
        ),
        RecordedFile(
            "values of a header as a list",
            recording("null", more: #", "Server": ["Windows-Azure-Table/1.0", "Microsoft-HTTPAPI/2.0"]"#),
            .plays(
                "GET http://a.test/",
                200,
                "",
                fields: ["Server: Windows-Azure-Table/1.0", "Server: Microsoft-HTTPAPI/2.0"]
            )
        ),
        RecordedFile("a byte order mark", "\u{FEFF}" + recording("null"), .plays()),
        RecordedFile(
            "a length that is wrong",
            recording(#"{"a": 1}"#, more: #", "Content-Length": "999""#),
            .plays("GET http://a.test/", 200, #"{"a":1}"#, fields: ["Content-Length: 7"])
        ),
        RecordedFile(
            "an answer of nothing but a status",
            #"{"Entries": [{"RequestUri": "http://a.test/", "RequestMethod": "POST", "StatusCode": 201}]}"#,
            .plays("POST http://a.test/", 201)
        ),
        RecordedFile(
            "a host that is hidden by a word that is none",
            #"{"Entries": [{"RequestUri": "Sanitized", "RequestMethod": "POST", "StatusCode": 201}]}"#,
            .leftOut(line: 1, because: "Sanitized")
        ),
    ]

    @Test("plays the same as the test proxy", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.azure)
    }

    @Test("a body kept without its coding is coded again", arguments: ["gzip", "deflate", "br"])
    func codesAgain(coding: String) throws {
        let text = Self.recording(#"{"a": 1}"#, more: #", "Content-Encoding": "\#(coding)""#)
        let document = try #require(try ForeignNode.documents(of: Array(text.utf8)).first)
        let exchange = try #require(RecordingFormat.azure.entries(of: document).first).result.get()
        let known = try #require(ContentCoding(name: coding))
        #expect(exchange.headers.first(named: "content-encoding") == coding)
        #expect(try ContentCoder.decode(exchange.body, known, limit: 100) == Array(#"{"a":1}"#.utf8))
    }
}
