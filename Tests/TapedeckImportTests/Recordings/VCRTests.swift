import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckImport

/// Cassettes of Ruby's VCR, with the quirks of Psych, Syck and of people who edited them.
@Suite struct VCRTests {
    /// Returns a cassette of one interaction in VCR's YAML; the lines of `response` are the value of `response:`.
    private static func yaml(_ response: String, uri: String = "http://a.test/", request: String = "") -> String {
        let lines = response.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)\n" }.joined()
        let sent = request.split(separator: "\n").map { "    \($0)\n" }.joined()
        return """
            ---
            http_interactions:
            - request:
                method: get
                uri: \(uri)
            \(sent)  response:
            \(lines)  recorded_at: Tue, 01 Nov 2011 04:49:54 GMT
            recorded_with: VCR 6.0.0
            """
    }

    private static let ok = "status:\n  code: 200\n  message: OK\n"

    static let files: [RecordedFile] = [
        RecordedFile(
            "a text with its encoding, and the time of the recording",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: '{\"a\":1}'"),
            .plays("GET http://a.test/", 200, #"{"a":1}"#, reason: "OK", time: "2011-11-01T04:49:54Z")
        ),
        RecordedFile(
            "base64 with a line break every 60 characters, in JSON",
            #"""
            {"http_interactions":[{"request":{"method":"get","uri":"http://a.test/","body":{"encoding":"US-ASCII",
            "base64_string":""},"headers":{}},"response":{"status":{"code":200,"message":"OK"},"headers":{},
            "body":{"encoding":"ASCII-8BIT","base64_string":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygp\nKissLS4v\n"},
            "http_version":null},"recorded_at":"Tue, 01 Nov 2011 04:49:54 GMT"}],"recorded_with":"VCR 2.9.3"}
            """#,
            .plays(bytes: Array(0..<48), reason: "OK")
        ),
        RecordedFile(
            "Psych's !binary with a block of base64",
            yaml(ok + "body:\n  encoding: ASCII-8BIT\n  string: !binary |-\n    //79\n    AAE="),
            .plays(bytes: [0xFF, 0xFE, 0xFD, 0x00, 0x01])
        ),
        RecordedFile(
            "an ISO-8859-1 text is played in that encoding",
            yaml(ok + "body:\n  encoding: ISO-8859-1\n  string: caf\u{E9}"),
            .plays(bytes: [0x63, 0x61, 0x66, 0xE9])
        ),
        RecordedFile(
            "a text that its encoding cannot write stays as it is, and that is said",
            yaml(ok + "body:\n  encoding: US-ASCII\n  string: caf\u{E9}"),
            .plays("GET http://a.test/", 200, "caf\u{E9}", note: "US-ASCII")
        ),
        RecordedFile(
            "a body that is a text alone",
            yaml(ok + "body: hello"),
            .plays("GET http://a.test/", 200, "hello")
        ),
        RecordedFile(
            "base64 with characters of people in it, of which Ruby takes what it can",
            yaml(ok + "body:\n  encoding: ASCII-8BIT\n  base64_string: 'AA_H/A'"),
            .plays(bytes: [0, 1, 255])
        ),
        RecordedFile(
            "a placeholder of the tests in the place of scheme and host",
            yaml(ok + "body: x", uri: "'<<ENTERPRISE_HOST>>stats/pulls?key=<<KEY>>'"),
            .plays("GET https://enterprise-host.test/stats/pulls?key=<<KEY>>", 200, "x", note: "<<ENTERPRISE_HOST>>")
        ),
        RecordedFile(
            "a placeholder of the tests in the host",
            yaml(ok + "body: x", uri: "http://<Sub Domain>.a.test:8080/b"),
            .plays("GET http://sub-domain.a.test:8080/b", 200, "x", note: "<Sub Domain>")
        ),
        RecordedFile("body null", yaml(ok + "body: null"), .plays()),
        RecordedFile("body left out", yaml(ok + "http_version: '1.1'"), .plays()),
        RecordedFile("body {}", yaml(ok + "body: {}"), .plays()),
        RecordedFile("string null", yaml(ok + "body:\n  encoding: UTF-8\n  string: null"), .plays()),
        RecordedFile(
            "headers as lists, as texts and as an empty list",
            yaml(ok + "headers:\n  Set-Cookie:\n  - a=1\n  - b=2\n  X-One: 1\n  X-None: []\nbody: x"),
            .plays(
                "GET http://a.test/",
                200,
                "x",
                fields: ["Set-Cookie: a=1", "Set-Cookie: b=2", "X-One: 1"],
                without: ["X-None"]
            )
        ),
        RecordedFile(
            "old Psych's `! '…'`, which makes a text of anything",
            yaml(ok + "headers:\n  Etag:\n  - ! '\"24-1b6\"'\n  Age:\n  - ! '3285'\nbody: ! '~'"),
            .plays("GET http://a.test/", 200, "~", fields: ["Etag: \"24-1b6\"", "Age: 3285"])
        ),
        RecordedFile(
            "an anchor and its alias, which Psych writes for a text that it met before",
            yaml(ok + "headers:\n  X-A:\n  - &1 same\n  X-B:\n  - *1\nbody: x"),
            .plays("GET http://a.test/", 200, "x", fields: ["X-A: same", "X-B: same"])
        ),
        RecordedFile(
            "a folded body",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: >-\n    one\n    two\n\n    three"),
            .plays("GET http://a.test/", 200, "one two\nthree")
        ),
        RecordedFile(
            "a literal body that keeps its last line ends",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: |+\n    one\n\n") + "\n",
            .plays("GET http://a.test/", 200, "one\n\n\n")
        ),
        RecordedFile(
            "a literal body that begins with spaces",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: |2-\n      one\n    two"),
            .plays("GET http://a.test/", 200, "  one\ntwo")
        ),
        RecordedFile(
            "a text in double quotes over several lines, with escapes",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: \"a\\n\\\n    \\ b \\u00E9\\x41\n    c\""),
            .plays("GET http://a.test/", 200, "a\n b \u{E9}A c")
        ),
        RecordedFile(
            "a text with variables of Ruby's own",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: !ruby/string:SafeBuffer\n    str: safe\n    '@x': true"),
            .plays("GET http://a.test/", 200, "safe")
        ),
        RecordedFile(
            "a body stored without its gzip, with the header that names it",
            yaml(ok + "headers:\n  Content-Encoding:\n  - gzip\n  Content-Length:\n  - '999'\nbody: plain"),
            .plays(
                "GET http://a.test/",
                200,
                "plain",
                fields: ["Content-Encoding: gzip"],
                isCoded: true
            )
        ),
        RecordedFile(
            "a body that came in chunks",
            yaml(ok + "headers:\n  Transfer-Encoding:\n  - chunked\n  Connection:\n  - close\nbody: x"),
            .plays("GET http://a.test/", 200, "x", fields: ["Transfer-Encoding: chunked"], without: ["Connection"])
        ),
        RecordedFile(
            "user and password in the URI",
            yaml(ok + "body: x", uri: "http://me:secret@a.test/in"),
            .plays("GET http://a.test/in", 200, "x", note: "password")
        ),
        RecordedFile(
            "a pattern as URI",
            yaml(ok + "body: x", uri: "!ruby/regexp /a.test/"),
            .leftOut(line: 5, because: "no text")
        ),
        RecordedFile(
            "a template of ERB as URI",
            yaml(ok + "body: x", uri: "<%= host %>/x"),
            .leftOut(line: 3, because: "no http or https URL")
        ),
        RecordedFile(
            "a template of ERB in a body is played as it stands, as by VCR without erb",
            yaml(ok + "body:\n  encoding: UTF-8\n  string: id <%= id %>"),
            .plays("GET http://a.test/", 200, "id <%= id %>", note: "erb")
        ),
        RecordedFile(
            "VCR 1.x: a list of structures, methods as symbols, ports written out",
            """
            ---\u{20}
            - !ruby/struct:VCR::HTTPInteraction\u{20}
              request: !ruby/struct:VCR::Request\u{20}
                method: :post
                uri: http://a.test:80/
                body: a=1
                headers:\u{20}
              response: !ruby/struct:VCR::Response\u{20}
                status: !ruby/struct:VCR::ResponseStatus\u{20}
                  code: 404
                  message: Not Found
                headers:\u{20}
                  content-type:\u{20}
                  - text/plain
                body: |
                  gone

                http_version: "1.1"
            """,
            .plays(
                "POST http://a.test:80/",
                404,
                "gone\n",
                sent: "a=1",
                reason: "Not Found",
                fields: ["content-type: text/plain"]
            )
        ),
        RecordedFile(
            "several answers to one request, in their order, and an entry without a response",
            """
            http_interactions:
            - request: {method: get, uri: http://a.test/}
              response: {status: {code: 503, message: null}, body: later}
            - request: {method: get, uri: http://a.test/}
            - request: {method: get, uri: http://a.test/}
              response: {status: {code: 200}, body: now}
            """,
            .plays("GET http://a.test/", 503, "later"),
            .leftOut(line: 4, because: "no response"),
            .plays("GET http://a.test/", 200, "now")
        ),
        RecordedFile(
            "a status that is none",
            yaml("status:\n  code: 0\n  message: ''\nbody: x"),
            .leftOut(line: 3, because: "no status")
        ),
        RecordedFile("no interactions", "http_interactions: []\nrecorded_with: VCR 6.0.0\n"),
    ]

    @Test("plays the same as VCR", arguments: files)
    func plays(_ file: RecordedFile) throws {
        try file.check(.vcr)
    }

    @Test("a body that VCR decompressed is compressed again")
    func compressesAgain() throws {
        let text = Self.yaml(
            Self.ok
                + "headers: {}\nbody:\n  encoding: UTF-8\n  string: hello\nadapter_metadata:\n  vcr_decompressed: gzip"
        )
        let document = try #require(try ForeignNode.documents(of: Array(text.utf8)).first)
        let entry = try #require(RecordingFormat.vcr.entries(of: document).first)
        let exchange = try entry.result.get()
        #expect(exchange.headers.first(named: "content-encoding") == "gzip")
        #expect(try ContentCoder.decode(exchange.body, .gzip, limit: 100) == Array("hello".utf8))
    }
}
