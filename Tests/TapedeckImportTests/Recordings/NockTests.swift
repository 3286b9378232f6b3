import TapedeckCore
import Testing

@testable import TapedeckImport

/// Fixtures of nock, with the quirks of its versions and of what it does when it plays.
@Suite struct NockTests {
    private static func fixture(_ members: String) -> String {
        #"[{"scope": "http://a.test:80", "method": "get", "path": "/", "# + members + "}]"
    }

    private static let url = "GET http://a.test:80/"

    static let files: [RecordedFile] = [
        RecordedFile(
            "an object as response is written by JSON.stringify",
            fixture(#""body": "", "status": 200, "response": {"a" : 1.0, "b": ["é", null, true]}"#),
            .plays(url, 200, #"{"a":1,"b":["é",null,true]}"#, fields: ["Content-Type: application/json"])
        ),
        RecordedFile("a list as response", fixture(#""status": 200, "response": [1, 2]"#), .plays(url, 200, "[1,2]")),
        RecordedFile("a text as response", fixture(#""status": 200, "response": "hi""#), .plays(url, 200, "hi")),
        RecordedFile(
            "a text that is JSON is parsed, and written anew",
            fixture(#""status": 200, "response": "{ \"a\" : 1e3 }""#),
            .plays(url, 200, #"{"a":1000}"#)
        ),
        RecordedFile(
            "a text that is a text of JSON loses its quotes",
            fixture(#""status": 200, "response": "\"in\"""#),
            .plays(url, 200, "in")
        ),
        RecordedFile("an empty response", fixture(#""status": 204, "response": """#), .plays(url, 204)),
        RecordedFile("response null", fixture(#""status": 200, "response": null"#), .plays(url, 200)),
        RecordedFile("no response", fixture(#""status": 200"#), .plays(url, 200)),
        RecordedFile("no status", fixture(#""response": "x""#), .plays(url, 200, "x")),
        RecordedFile("the status of old, a text", fixture(#""reply": "404", "response": "x""#), .plays(url, 404, "x")),
        RecordedFile(
            "the port of old",
            #"[{"scope": "http://a.test", "port": 8080, "method": "GET", "path": "/p", "reply": 200, "response": "x"}]"#,
            .plays("GET http://a.test:8080/p", 200, "x")
        ),
        RecordedFile(
            "a binary response in hexadecimal",
            fixture(#""status": 200, "response": "00fF10", "responseIsBinary": true"#),
            .plays(bytes: [0, 0xFF, 0x10], url)
        ),
        RecordedFile(
            "a coded response: hexadecimal pieces",
            fixture(
                #""status": 200, "response": ["1f8b080000000000", "02ffcb48cdc9c907008", "6a6103605000000"], "#
                    + #""rawHeaders": ["Content-Encoding", "gzip"]"#
            ),
            .plays(
                url,
                200,
                #"["1f8b080000000000","02ffcb48cdc9c907008","6a6103605000000"]"#,
                fields: ["Content-Encoding: gzip"],
                isCoded: true
            )
        ),
        RecordedFile(
            "a coded response: hexadecimal pieces, each of whole bytes",
            fixture(
                #""status": 200, "response": ["1f8b0800000000000", "2ff"], "rawHeaders": ["X", "y"]"#
            ),
            .plays(url, 200, #"["1f8b0800000000000","2ff"]"#)
        ),
        RecordedFile(
            "chunks of gzip in hexadecimal are joined",
            fixture(
                #""status": 200, "response": ["1f8b080000000000", "02ffcb48cdc9c907", "0086a6103605000000"], "#
                    + #""rawHeaders": ["Content-Encoding", "gzip", "Transfer-Encoding", "chunked"]"#
            ),
            .plays(
                bytes: [
                    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36,
                    5, 0, 0, 0,
                ],
                url,
                fields: ["Content-Encoding: gzip", "Transfer-Encoding: chunked"]
            )
        ),
        RecordedFile(
            "headers in a flat list, with their order, their case and their duplicates",
            fixture(
                #""status": 200, "response": "x", "rawHeaders": ["X-B", "1", "set-cookie", "a", "X-A", "2", "Set-Cookie", "b"]"#
            ),
            .plays(url, 200, "x", fields: ["X-B: 1", "set-cookie: a", "X-A: 2", "Set-Cookie: b"])
        ),
        RecordedFile(
            "headers in a map with lists",
            fixture(#""status": 200, "response": "x", "rawHeaders": {"a": "1", "b": ["2", "3"]}"#),
            .plays(url, 200, "x", fields: ["a: 1", "b: 2", "b: 3"])
        ),
        RecordedFile(
            "headers of old",
            fixture(#""status": 200, "response": "x", "headers": {"a": "1"}"#),
            .plays(url, 200, "x", fields: ["a: 1"])
        ),
        RecordedFile(
            "a request body that was JSON, and numbers as header values",
            #"""
            [{"scope": "https://a.test:443", "method": "post", "path": "/", "body": {"n": "x", "2": 0, "1": 0},
            "reqheaders": {"content-length": 12, "a": ["b"]}, "status": 201, "response": {}}]
            """#,
            .plays("POST https://a.test:443/", 201, "{}", sent: #"{"1":0,"2":0,"n":"x"}"#)
        ),
        RecordedFile(
            "a request body that was a text",
            fixture(#""body": "a=1&b=2", "status": 200, "response": "x""#),
            .plays(url, 200, "x", sent: "a=1&b=2")
        ),
        RecordedFile(
            "any request body",
            fixture(#""body": "*", "status": 200, "response": "x""#),
            .plays(url, 200, "x", sent: "")
        ),
        RecordedFile(
            "one definition without a list",
            #"{"scope": "http://a.test", "path": "/", "response": "x"}"#,
            .plays("GET http://a.test/", 200, "x")
        ),
        RecordedFile(
            "any path",
            #"[{"scope": "http://a.test", "path": "*", "response": "x"}, {"scope": "http://a.test", "path": "/"}]"#,
            .leftOut(line: 1, because: "'*'"),
            .plays()
        ),
        RecordedFile(
            "a definition without a scope",
            "[{\"scope\": \"http://a.test\", \"path\": \"/\"},\n {\"path\": \"/\"}]",
            .plays(),
            .leftOut(line: 2, because: "scope")
        ),
        RecordedFile(
            "numbers as JavaScript writes them",
            fixture(#""response": [1e21, 1e-7, 0.1, -0, 123456789012345678901234567890, 1.50, 100000000000000000000]"#),
            .plays(url, 200, "[1e+21,1e-7,0.1,0,1.2345678901234568e+29,1.5,100000000000000000000]")
        ),
        RecordedFile(
            "a name twice",
            fixture(#""response": {"a": 1, "b": 2, "a": 3}"#),
            .plays(url, 200, #"{"a":3,"b":2}"#)
        ),
    ]

    @Test("plays the same as nock", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.nock)
    }
}
