import TapedeckCore
import Testing

@testable import TapedeckImport

/// Cassettes of Python's vcrpy, with the quirks of its versions, stubs and serializers.
@Suite struct VCRPyTests {
    private static func yaml(_ response: String, request: String = "body: null\nheaders: {}") -> String {
        func indented(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)\n" }.joined()
        }
        return "interactions:\n- request:\n" + indented(request)
            + "    method: GET\n    uri: http://a.test/\n  response:\n"
            + indented(response) + "version: 1\n"
    }

    private static let ok = "\nstatus: {code: 200, message: OK}"
    /// "hello", as Python's gzip makes it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    static let files: [RecordedFile] = [
        RecordedFile(
            "a text of YAML",
            yaml("body: {string: \"{\\n  \\\"a\\\": 1\\n}\"}\nheaders: {content-type: [application/json]}" + ok),
            .plays(
                "GET http://a.test/",
                200,
                "{\n  \"a\": 1\n}",
                reason: "OK",
                fields: ["content-type: application/json"]
            )
        ),
        RecordedFile(
            "a request body of pairs, as the stubs of aiohttp keep a form",
            yaml("body: {string: x}" + ok, request: "body: [[kind, self], [title, 'a b&c<é>'], [text, '']]"),
            .plays("GET http://a.test/", 200, "x", sent: "kind=self&title=a+b%26c%3C%C3%A9%3E&text=")
        ),
        RecordedFile(
            "a request body that is a map, of which a form or JSON was made",
            yaml("body: {string: x}" + ok, request: "body: {from: ada, to: bob}"),
            .plays("GET http://a.test/", 200, "x", sent: "", note: "a form or JSON")
        ),
        RecordedFile(
            "version 1 in JSON",
            #"""
            {"version": 1, "interactions": [{"request": {"body": "a=\u00e9", "headers": {"A": ["1"]}, "method": "PUT",
            "uri": "http://a.test/"}, "response": {"status": {"message": "OK", "code": 201}, "headers":
            {"Server": ["x", "y"]}, "body": {"string": "\u20ac"}}}]}
            """#,
            .plays("PUT http://a.test/", 201, "\u{20AC}", sent: "a=\u{E9}", fields: ["Server: x", "Server: y"])
        ),
        RecordedFile(
            "a gzip body in base64, still coded",
            yaml(
                "body:\n  string: !!binary |\n    H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA==\nheaders:\n  Content-Encoding: [gzip]"
                    + "\n  Content-Length: ['3']" + ok
            ),
            .plays(bytes: gzip, fields: ["Content-Encoding: gzip", "Content-Length: 25"])
        ),
        RecordedFile(
            "a coding named, and the body without it: decode_compressed_response of old",
            yaml("body: {string: hello}\nheaders: {content-encoding: [gzip]}" + ok),
            .plays("GET http://a.test/", 200, "hello", fields: ["content-encoding: gzip"], isCoded: true)
        ),
        RecordedFile(
            "the form of the old httpx stubs",
            yaml("content: 'hi'\nheaders: {}\nhttp_version: HTTP/1.1\nstatus_code: 418"),
            .plays("GET http://a.test/", 418, "hi")
        ),
        RecordedFile(
            "that form with bytes",
            yaml("content: !!binary AAEC\nheaders: {}\nhttp_version: HTTP/1.1\nstatus_code: 200"),
            .plays(bytes: [0, 1, 2])
        ),
        RecordedFile("no body", yaml("body: null\nheaders: {}" + ok), .plays()),
        RecordedFile("a body of nothing", yaml("body: {string: null}\nheaders: {}" + ok), .plays()),
        RecordedFile("an empty text", yaml("body: {string: ''}\nheaders: {}" + ok), .plays()),
        RecordedFile(
            "a body that is a text alone",
            yaml("body: bare\nheaders: {}" + ok),
            .plays("GET http://a.test/", 200, "bare")
        ),
        RecordedFile(
            "a tag of Python 2's texts",
            yaml("body: {string: !!python/unicode 'not ~ null'}\nheaders: {}" + ok),
            .plays("GET http://a.test/", 200, "not ~ null")
        ),
        RecordedFile(
            "headers as tuples, as tornado's stubs wrote them",
            yaml("body: {string: ''}\nheaders:\n- !!python/tuple\n  - Set-Cookie\n  - [a=1, b=2]" + ok),
            .plays("GET http://a.test/", 200, "", fields: ["Set-Cookie: a=1", "Set-Cookie: b=2"])
        ),
        RecordedFile(
            "names of fields that are objects of multidict, as keys of their own line",
            yaml(
                "body: {string: 'x'}\nheaders:\n  ? !!python/object/apply:multidict._multidict.istr\n  - Content-Type\n  : - a/b"
                    + "\n  ? !!python/object/new:multidict.istr\n    args: [Server]\n  : - s\n  X-A:\n  - '1'" + ok
            ),
            .plays("GET http://a.test/", 200, "x", fields: ["Content-Type: a/b", "Server: s", "X-A: 1"])
        ),
        RecordedFile(
            "before version 1: a list, the URL in parts, headers as lines",
            """
            - request: !!python/object:vcr.request.Request
                body: null
                headers: !!python/object/apply:__builtin__.frozenset
                - - !!python/tuple [accept-encoding, 'gzip, deflate']
                  - !!python/tuple [accept, '*/*']
                host: a.test
                method: GET
                path: /ip
                port: 8080
                protocol: http
              response:
                body: {string: !!python/unicode "x"}
                headers: [!!python/unicode "content-type: text/plain\\r\\n", !!python/unicode "x-long:
                    two words\\r\\n"]
                status: {code: 200, message: OK}
            """,
            .plays(
                "GET http://a.test:8080/ip",
                200,
                "x",
                fields: ["content-type: text/plain", "x-long: two words"]
            )
        ),
        RecordedFile(
            "that form in JSON, with a usual port",
            #"""
            [{"request": {"body": null, "protocol": "https", "method": "GET", "headers": {"accept": "*/*"},
            "host": "a.test", "path": "/ip", "port": 443}, "response": {"status": {"message": "OK", "code": 200},
            "headers": ["server: x\r\n"], "body": {"string": "x"}}}]
            """#,
            .plays("GET https://a.test/ip", 200, "x", fields: ["server: x"])
        ),
        RecordedFile(
            "a request body that was a file object of Python",
            yaml(
                "body: {string: x}\nheaders: {}" + ok,
                request:
                    "body: !!python/object/new:_io.BytesIO\n  state: !!python/tuple\n  - !!binary |\n    AAE=\n  - 0"
                    + "\n  - null\nheaders: {}"
            ),
            .plays("GET http://a.test/", 200, "x", sent: "\0\u{1}")
        ),
        RecordedFile(
            "a request body that was a list of pieces",
            yaml("body: {string: x}\nheaders: {}" + ok, request: "body: [one, !!binary 'dHdv']\nheaders: {}"),
            .plays("GET http://a.test/", 200, "x", sent: "onetwo")
        ),
        RecordedFile(
            "bodies as trees are played as Python's json.dumps writes them",
            yaml(
                "parsed_body:\n  a: 1\n  b: [1.5, 1.0e+30, true, no, null, ~]\n  c: caf\u{E9} \u{1F600}\n  'yes': '1'\n  d: ''"
                    + "\n  e: 2 + 2 = 4.\nheaders: {}" + ok,
                request: "headers: {}\nparsed_body: {model: x, n: 1764196886.043911}"
            ),
            .plays(
                "GET http://a.test/",
                200,
                #"{"a": 1, "b": [1.5, 1e+30, true, false, null, null], "c": "caf\u00e9 \ud83d\ude00", "yes": "1", "d": "", "e": "2 + 2 = 4."}"#,
                sent: #"{"model": "x", "n": 1764196886.043911}"#
            )
        ),
        RecordedFile(
            "events in a literal block that keeps its line ends",
            yaml("body:\n  string: |+\n    data: 1\n\n    data: 2\n\nheaders: {}" + ok),
            .plays("GET http://a.test/", 200, "data: 1\n\ndata: 2\n\n")
        ),
        RecordedFile(
            "a long text that PyYAML broke in double quotes",
            yaml("body: {string: \"a \\\n      \\ b\\\n      c \\u20AC\"}\nheaders: {}" + ok),
            .plays("GET http://a.test/", 200, "a  bc \u{20AC}")
        ),
        RecordedFile(
            "a long text that PyYAML broke in single quotes",
            yaml("body: {string: 'it''s\n\n      two\n      lines'}\nheaders: {}" + ok),
            .plays("GET http://a.test/", 200, "it's\ntwo lines")
        ),
        RecordedFile(
            "one list of headers for two requests: an anchor of PyYAML",
            """
            interactions:
            - request: {body: null, headers: &id001 {a: ['1']}, method: GET, uri: 'http://a.test/'}
              response: &id002
                body: {string: x}
                headers: *id001
                status: {code: 200, message: OK}
            - request: {body: null, headers: *id001, method: GET, uri: 'http://a.test/'}
              response: *id002
            version: 1
            """,
            .plays("GET http://a.test/", 200, "x", fields: ["a: 1"]),
            .plays("GET http://a.test/", 200, "x", fields: ["a: 1"])
        ),
        RecordedFile(
            "header values in bytes",
            yaml("body: {string: x}\nheaders: {x-b: [!!binary '/w==']}" + ok),
            .plays("GET http://a.test/", 200, "x", fields: ["x-b: \(ByteText.string(from: [0xFF]))"])
        ),
        RecordedFile(
            "pseudo-header fields of HTTP/2 are no fields",
            yaml("body: {string: x}\nheaders: {':status': ['200'], a: ['1']}" + ok),
            .plays("GET http://a.test/", 200, "x", fields: ["a: 1"], without: [":status"])
        ),
        RecordedFile(
            "base64 that is none",
            yaml("body: {string: !!binary 'A'}\nheaders: {}" + ok),
            .leftOut(line: 8, because: "base64")
        ),
        RecordedFile(
            "a URI of another scheme",
            """
            interactions:
            - request: {body: null, headers: {}, method: GET, uri: 'ftp://a.test/'}
              response: {body: {string: x}, headers: {}, status: {code: 200, message: OK}}
            version: 1
            """,
            .leftOut(line: 2, because: "no http or https URL")
        ),
    ]

    @Test("plays the same as vcrpy", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.vcrpy)
    }
}
