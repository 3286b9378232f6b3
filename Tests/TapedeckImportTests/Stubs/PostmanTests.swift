import Testing

@testable import TapedeckImport

/// Saved responses of Postman collections.
@Suite struct PostmanTests {
    private static func collection(_ url: String, _ response: String) -> String {
        #"{"info": {"name": "c"}, "variable": [{"key": "v", "value": "one"}], "item": [{"name": "folder", "item": [{"name": "r", "request": {"method": "GET", "url": "#
            + url + #"}, "response": ["# + response + "]}]}]}"
    }

    static let cases: [StubCase] = [
        StubCase(
            quirk: "a URL as text, and a field list",
            text: collection(
                #""https://a.test/p""#,
                #"{"name": "e", "code": 201, "status": "Created", "header": [{"key": "X", "value": "1"}], "body": "hi"}"#
            ),
            says: ["urlTemplate: https://a.test/p", "name: e", "X: '1'", "status: 201"],
            body: Array("hi".utf8)
        ),
        StubCase(
            quirk: "null where a field list or a body could be",
            text: collection(#"{"raw": "https://a.test/p?x=1"}"#, #"{"code": 204, "header": null, "body": null}"#),
            says: ["urlTemplate: https://a.test/p", "status: 204"]
        ),
        StubCase(
            quirk: "fields as lines of text",
            text: collection(#""https://a.test/p""#, #"{"status": "404 Not Found", "header": "A: 1\r\nB: 2\r\n"}"#),
            says: ["A: '1'", "B: '2'", "status: 404"]
        ),
        StubCase(
            quirk: "a host that is a variable",
            text: collection(#""{{base}}/p/:id/{{v}}""#, #"{"code": 200}"#),
            says: ["urlTemplate: '/p/{value1}/one'"]
        ),
        StubCase(
            quirk: "a variable for the origin that is empty",
            text: collection(#""{{base}}/p""#, #"{"code": 200}"#).replacing(
                #""key": "v", "value": "one""#,
                with: #""key": "base", "value": """#
            ),
            says: ["url: /p"]
        ),
        StubCase(
            quirk: "a variable for the origin that is a path",
            text: collection(#"{"host": ["{{base}}"], "path": ["p"]}"#, #"{"code": 200}"#)
                .replacing(#""key": "v", "value": "one""#, with: #""key": "base", "value": "/""#),
            says: ["url: /p"]
        ),
        StubCase(
            quirk: "a URL in parts",
            text: collection(
                #"{"protocol": "https", "host": ["a", "test"], "port": "8443", "path": ["p", ":id"]}"#,
                #"{"code": 200}"#
            ),
            says: ["urlTemplate: 'https://a.test:8443/p/{value1}'"]
        ),
        StubCase(
            quirk: "no saved response",
            text: collection(#""https://a.test/p""#, ""),
            leftOut: "no saved response"
        ),
        StubCase(
            quirk: "a URL in parts, with its text",
            text: collection(
                #"{"raw": "https://a.test/p?x=1", "host": ["a", "test"], "path": ["p"], "query": [{"key": "x", "value": "1"}]}"#,
                #"{"code": 200}"#
            ),
            answers: ["GET https://a.test/p?x=1", "GET https://a.test/p"],
            ignores: ["GET https://b.test/p", "POST https://a.test/p"]
        ),
        StubCase(
            quirk: "the request that was sent counts, not the one that was edited since",
            text: collection(
                #""https://a.test/new""#,
                #"{"code": 200, "originalRequest": {"method": "POST", "url": "https://a.test/old"}}"#
            ),
            answers: ["POST https://a.test/old"],
            ignores: ["GET https://a.test/new"]
        ),
        StubCase(
            quirk: "no sent request: null",
            text: collection(#""https://a.test/p""#, #"{"code": 200, "originalRequest": null}"#),
            answers: ["GET https://a.test/p"]
        ),
        StubCase(
            quirk: "a fragment is no part of the URL",
            text: collection(#""https://a.test/p#part""#, #"{"code": 200}"#),
            answers: ["GET https://a.test/p"]
        ),
        StubCase(
            quirk: "no scheme",
            text: collection(#""a.test/p""#, #"{"code": 200}"#),
            answers: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "a variable of the collection in the host",
            text: collection(#""https://{{v}}.test/p""#, #"{"code": 200}"#),
            answers: ["GET https://one.test/p"]
        ),
        StubCase(
            quirk: "an unknown variable as host is any host",
            text: collection(#""https://{{host}}/p""#, #"{"code": 200}"#),
            answers: ["GET https://a.test/p", "GET https://b.test/p?x=1"],
            ignores: ["GET https://a.test/q"]
        ),
        StubCase(
            quirk: "a variable alone is the root of any host",
            text: collection(#""{{base}}""#, #"{"code": 200}"#),
            answers: ["GET https://a.test/"]
        ),
        StubCase(
            quirk: "a variable within a part of the path",
            text: collection(#""https://a.test/v{{version}}/p""#, #"{"code": 200}"#),
            answers: ["GET https://a.test/v2/p"],
            ignores: ["GET https://a.test/v2/q"]
        ),
        StubCase(
            quirk: "fields that are switched off",
            text: collection(
                #""https://a.test/p""#,
                #"{"code": 200, "header": [{"key": "A", "value": "1", "disabled": true}, {"name": "B", "value": "2"}]}"#
            ),
            says: ["B: '2'"]
        ),
        StubCase(
            quirk: "a length that is not that of the body",
            text: collection(
                #""https://a.test/p""#,
                #"{"code": 200, "header": [{"key": "Content-Length", "value": "900"}], "body": "hi"}"#
            ),
            body: Array("hi".utf8)
        ),
        StubCase(
            quirk: "a text beyond ASCII",
            text: collection(#""https://a.test/p""#, #"{"code": 200, "body": "\u00e9\ud83d\ude00"}"#),
            body: Array("é😀".utf8)
        ),
        StubCase(
            quirk: "a status that no response has",
            text: collection(#""https://a.test/p""#, #"{"code": 99}"#),
            leftOut: "no response has the status 99"
        ),
        StubCase(
            quirk: "no URL",
            text: collection(#"{"path": ["p"]}"#, #"{"code": 200}"#),
            leftOut: "no URL"
        ),
        StubCase(
            quirk: "a collection within a `collection`, as the API gives it",
            text:
                #"{"collection": {"info": {"name": "c"}, "item": [{"name": "r", "request": "https://a.test/p", "response": [{"code": 200, "body": "x"}]}]}}"#,
            body: Array("x".utf8),
            answers: ["GET https://a.test/p"]
        ),
        StubCase(
            quirk: "a byte order mark",
            text: "\u{FEFF}" + collection(#""https://a.test/p""#, #"{"code": 200, "body": "x"}"#),
            body: Array("x".utf8)
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "postman") }
}
