import Testing

@testable import TapedeckImport

/// Recordings of Polly.js.
@Suite struct PollyTests {
    static let files: [RecordedFile] = [
        polly("text", #""text": "hi""#, .plays(body: "hi")),
        polly("base64", #""encoding": "base64", "text": "AAH/""#, .plays(bytes: [0, 1, 255])),
        polly(
            "pieces of a coded stream",
            #""encoding": "base64", "text": "[\"AAE=\",\"/w==\"]""#,
            .plays(bytes: [0, 1, 255])
        ),
        polly(
            "pieces in hexadecimal digits",
            #""_isBinary": true, "text": "[\"0001\",\"ff\"]""#,
            .plays(bytes: [0, 1, 255])
        ),
        polly("one text of hexadecimal digits", #""_isBinary": true, "text": "0001ff""#, .plays(bytes: [0, 1, 255])),
        polly(
            "digits that are none",
            #""_isBinary": true, "text": "xyz""#,
            .leftOut(line: 1, because: "no hexadecimal digits")
        ),
        polly(
            "a field with a list of values, of version 1",
            #""text": "x""#,
            .plays(body: "x", fields: ["set-cookie: a=1", "set-cookie: b=2"]),
            headers: #"{"name": "set-cookie", "value": ["a=1", "b=2"]}"#
        ),
        polly("a JSON list that is the body itself", #""text": "[\"a\"]""#, .plays(body: #"["a"]"#)),
        polly("base64 with line ends", #""encoding": "base64", "text": "AA\r\nH/\n""#, .plays(bytes: [0, 1, 255])),
        polly(
            "base64 that is none",
            #""encoding": "base64", "text": "A""#,
            .leftOut(line: 1, because: "no base64")
        ),
        polly(
            "pieces of a gzip stream",
            #""encoding": "base64", "text": "[\"H4sIAAAAAAACA8s=\",\"SM3JyQcAhqYQNgUAAAA=\"]""#,
            .plays(body: "hello", fields: ["Content-Encoding: gzip"], isCoded: true),
            headers: #"{"name": "Content-Encoding", "value": "gzip"}"#
        ),
        polly(
            "pieces of a gzip stream in hexadecimal digits, before version 6",
            #""text": "[\"1f8b0800000000000203cb48cd\",\"c9c9070086a6103605000000\"]""#,
            .plays(body: "hello", fields: ["Content-Encoding: gzip"], isCoded: true),
            headers: #"{"name": "Content-Encoding", "value": "gzip"}"#
        ),
        polly(
            "a text that is kept without its coding is coded again",
            #""text": "hello""#,
            .plays(body: "hello", fields: ["Content-Encoding: gzip"], isCoded: true),
            headers: #"{"name": "Content-Encoding", "value": "gzip"}"#
        ),
        polly("an empty text", #""text": """#, .plays()),
        polly("no text for a body of no bytes", #""size": 0"#, .plays()),
        polly("no text for a body of some", #""size": 9"#, .leftOut(line: 1, because: "its body of 9 bytes")),
        polly("a text beyond ASCII", #""text": "\u00e9\ud83d\ude00""#, .plays(body: "é😀")),
        polly("not binary", #""_isBinary": false, "text": "0001""#, .plays(body: "0001")),
        polly(
            "fields of one name, and those of the connection",
            #""text": "x""#,
            .plays(
                body: "x",
                fields: ["Set-Cookie: a=1", "Set-Cookie: b=2"],
                without: ["Connection", "Transfer-Encoding"]
            ),
            headers:
                #"{"name": "Set-Cookie", "value": "a=1"}, {"name": "Connection", "value": "close"}, {"name": "Set-Cookie", "value": "b=2"}"#
        ),
        polly("a status of 0", #""text": """#, .leftOut(line: 1, because: "its status is 0"), status: 0),
        polly("204", #""size": 0"#, .plays("GET http://a.test/", 204), status: 204),
        polly(
            "a body that is sent",
            #""text": "x""#,
            .plays("POST http://a.test/", 200, "x", sent: #"{"a":1}"#),
            request:
                #""method": "POST", "url": "http://a.test/", "postData": {"mimeType": "application/json", "params": [], "text": "{\"a\":1}"}"#
        ),
        polly(
            "a form that is sent as parameters",
            #""text": "x""#,
            .plays("POST http://a.test/", 200, "x", sent: "a=1"),
            request:
                #""method": "POST", "url": "http://a.test/", "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "1"}]}"#
        ),
        RecordedFile(
            "answers to one request come in their order, whatever that of the file is",
            #"{"log": {"_recordingName": "r", "entries": ["#
                + entry(#""_id": "1", "_order": 1"#, "second") + "," + entry(#""_id": "1", "_order": 0"#, "first")
                + "]}}",
            .plays("GET http://a.test/", 200, "first"),
            .plays("GET http://a.test/", 200, "second")
        ),
        RecordedFile(
            "entries without an id keep their places",
            #"{"log": {"_recordingName": "r", "entries": ["# + entry(#""_order": 1"#, "a") + ","
                + entry(#""_order": 0"#, "b") + "]}}",
            .plays("GET http://a.test/", 200, "a"),
            .plays("GET http://a.test/", 200, "b")
        ),
        RecordedFile(
            "YAML, as by the persister of that name",
            """
            log:
              _recordingName: r
              creator: {name: Polly.JS, version: 6.0.0}
              entries:
                - _id: a1
                  _order: 0
                  startedDateTime: 2026-01-02T03:04:05.000Z
                  time: 20
                  timings: {wait: 15}
                  request: {method: GET, url: 'http://a.test/', headers: []}
                  response:
                    status: 200
                    content: {mimeType: text/plain, size: 3, text: "a\\nb"}
            """,
            .plays("GET http://a.test/", 200, "a\nb", latency: 15, time: "2026-01-02T03:04:05Z")
        ),
    ]

    private static func entry(_ members: String, _ text: String) -> String {
        "{" + members
            + #", "request": {"method": "GET", "url": "http://a.test/"}, "response": {"status": 200, "content": {"text": ""#
            + text + #""}}}"#
    }

    private static func polly(
        _ quirk: String,
        _ content: String,
        _ outcome: RecordedFile.Outcome,
        status: Int = 200,
        headers: String = "",
        request: String = #""method": "GET", "url": "http://a.test/""#
    ) -> RecordedFile {
        RecordedFile(
            quirk,
            #"{"log": {"_recordingName": "r", "creator": {"name": "Polly.JS"}, "entries": [{"_id": "1", "_order": 0, "request": {"#
                + request + #"}, "response": {"status": \#(status), "headers": ["# + headers + #"], "content": {"#
                + content
                + "}}}]}}",
            outcome
        )
    }

    @Test(arguments: files) func plays(_ file: RecordedFile) throws {
        try file.check(as: "polly")
    }
}
