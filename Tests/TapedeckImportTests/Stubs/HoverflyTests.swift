import Testing

@testable import TapedeckImport

/// Pairs of Hoverfly.
@Suite struct HoverflyTests {
    private static func pair(
        _ request: String,
        _ response: String = #""status": 200"#,
        _ version: String = "v5.2"
    ) -> String {
        #"{"data": {"pairs": [{"request": {"# + request + #"}, "response": {"# + response
            + #"}}]}, "meta": {"schemaVersion": ""# + version + #""}}"#
    }

    static let cases: [StubCase] = [
        StubCase(
            quirk: "exact conditions",
            text: pair(
                #""method": [{"matcher": "exact", "value": "GET"}], "destination": [{"matcher": "exact", "value": "a.test"}], "path": [{"matcher": "exact", "value": "/p"}]"#
            ),
            says: ["method: GET", "url: /p", "host: a.test", "otherQuery: allowed"]
        ),
        StubCase(
            quirk: "names of matchers in any case, and none",
            text: pair(#""path": [{"matcher": "exaCT", "value": "/p"}], "method": [{"matcher": "", "value": "PUT"}]"#),
            says: ["method: PUT", "url: /p"]
        ),
        StubCase(
            quirk: "a glob",
            text: pair(#""path": [{"matcher": "glob", "value": "/p/*.json"}]"#),
            says: [#"urlPattern: '/p/[^?]*\.json(?:\?.*)?'"#]
        ),
        StubCase(
            quirk: "a glob for any path of a host",
            text: pair(
                #""path": [{"matcher": "glob", "value": "*"}], "destination": [{"matcher": "exact", "value": "a.test"}], "scheme": [{"matcher": "glob", "value": "http*"}]"#
            ),
            says: ["host: a.test"],
            answers: ["GET http://a.test/", "GET https://a.test/x?y=1"],
            ignores: ["GET http://b.test/"]
        ),
        StubCase(
            quirk: "a glob that begins with any",
            text: pair(#""path": [{"matcher": "glob", "value": "*/b*"}]"#),
            answers: ["GET http://a.test/b", "GET http://a.test/x/bc"],
            ignores: ["GET http://a.test/xb"]
        ),
        StubCase(
            quirk: "a pattern that begins with no slash, and a host",
            text: pair(
                #""path": [{"matcher": "regex", "value": "^.*b$"}], "destination": [{"matcher": "exact", "value": "a.test"}]"#
            ),
            answers: ["GET http://a.test/b", "GET http://a.test/x/b"],
            ignores: ["GET http://a.test/bc", "GET http://x.test/b"]
        ),
        StubCase(
            quirk: "a scheme",
            text: pair(
                #""scheme": [{"matcher": "exact", "value": "https"}], "path": [{"matcher": "exact", "value": "/p"}], "destination": [{"matcher": "exact", "value": "a.test:8443"}]"#
            ),
            says: ["url: https://a.test:8443/p"],
            answers: ["GET https://a.test:8443/p", "GET https://a.test:8443/p?x=1"],
            ignores: ["GET http://a.test:8443/p"]
        ),
        StubCase(
            quirk: "a scheme of any host",
            text: pair(
                #""scheme": [{"matcher": "exact", "value": "https"}], "path": [{"matcher": "exact", "value": "/p"}]"#
            ),
            answers: ["GET https://a.test/p"],
            note: "condition on the scheme is left out"
        ),
        StubCase(
            quirk: "version 1",
            text: pair(
                #""path": "/p", "method": "GET", "destination": "a.test", "query": "b=2", "body": """#,
                #""status": 201"#,
                "v1"
            ),
            says: ["url: /p", "status: 201", "b: '2'", "otherQuery: refused"]
        ),
        StubCase(
            quirk: "version 2",
            text: pair(#""path": {"exactMatch": "/p"}, "query": {"exactMatch": ""}"#, #""status": 200"#, "v2"),
            says: ["url: /p"]
        ),
        StubCase(
            quirk: "base64",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "encodedBody": true, "body": "AAH/""#
            ),
            body: [0, 1, 255]
        ),
        StubCase(
            quirk: "a body in a file",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}]"#, #""status": 200, "bodyFile": "b.json""#),
            body: [1, 2, 255]
        ),
        StubCase(
            quirk: "state",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "requiresState": {"a": "1"}"#,
                #""status": 200, "transitionsState": {"a": "2"}, "removesState": ["b"]"#
            ),
            says: ["requires: { a: '1' }", "sets: { a: '2', b: null }"]
        ),
        StubCase(
            quirk: "a sequence begins at 1",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}], "requiresState": {"sequence:1": "1"}"#),
            says: ["sequence:1: '1'"]
        ),
        StubCase(
            quirk: "a delay",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}]"#, #""status": 200, "fixedDelay": 3000"#),
            says: ["delay: 3s"]
        ),
        StubCase(
            quirk: "JSON of which a part is asked for",
            text: pair(#""body": [{"matcher": "jsonPartial", "value": "{\"a\": 1}"}]"#),
            says: [#"jsonSubset: '{"a": 1}'"#]
        ),
        StubCase(quirk: "XPath", text: pair(#""body": [{"matcher": "xpath", "value": "/a"}]"#), leftOut: "`xpath`"),
        StubCase(
            quirk: "a template",
            text: pair(
                #""path": [{"matcher": "glob", "value": "/p/*"}]"#,
                #""status": 200, "templated": true, "body": "{{ Request.Path.[1] }} {{Request.QueryParam.q}} {{ Request.Body 'jsonpath' '$.a.b' }} {{ State.eggs }} {{randomStringLength 4}} {{ now '-1d' '02 Jan 2006 15:04' }}""#
            ),
            says: ["template: true"],
            body: Array(
                "{{url.segment1}} {{query.q}} {{{json.a.b}}} {{state.eggs}} {{random.text-4}} {{#now.minus-86400s}}%d %b %Y %H:%M{{/now.minus-86400s}}"
                    .utf8
            ),
            answers: ["GET http://a.test/p/x"]
        ),
        StubCase(
            quirk: "a template in a field",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "templated": true, "body": "", "headers": {"X-M": ["{{ Request.Method }}"]}"#
            ),
            says: ["X-M: '{{request.method}}'", "template: true"]
        ),
        StubCase(
            quirk: "literals and variables",
            text:
                #"{"data": {"pairs": [{"request": {"path": [{"matcher": "exact", "value": "/p"}]}, "response": {"templated": true, "body": "{{Literals.l}} {{ Vars.v }}"}}], "literals": [{"name": "l", "value": "L"}], "variables": [{"name": "v", "function": "requestBody", "arguments": ["jsonpath", "$.x"]}]}, "meta": {"schemaVersion": "v5.3"}}"#,
            body: Array("L {{{json.x}}}".utf8)
        ),
        StubCase(
            quirk: "a template with a helper that has no equal",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "templated": true, "body": "{{ faker 'Name' }}""#
            ),
            leftOut: "{{ faker 'Name' }}"
        ),
        StubCase(
            quirk: "a value among others",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "query": {"q": [{"matcher": "array", "value": ["a"], "config": {"ignoreUnknown": true, "ignoreOrder": true}}]}"#
            ),
            answers: ["GET http://a.test/p?q=x&q=a"],
            ignores: ["GET http://a.test/p?q=b", "GET http://a.test/p"]
        ),
        StubCase(
            quirk: "several values in any order, among others",
            text: pair(
                #""query": {"q": [{"matcher": "array", "value": ["a", "b"], "config": {"ignoreUnknown": true, "ignoreOrder": true}}]}"#
            ),
            leftOut: "`config`"
        ),
        StubCase(
            quirk: "a list of no others",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "query": {"q": [{"matcher": "array", "value": ["a", "b"], "config": {"ignoreOrder": true, "ignoreOccurrences": true}}]}"#
            ),
            answers: ["GET http://a.test/p?q=a", "GET http://a.test/p?q=b&q=a"],
            ignores: ["GET http://a.test/p?q=a&q=c", "GET http://a.test/p"]
        ),
        StubCase(
            quirk: "a template without a tag",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "templated": true, "body": "x""#
            ),
            body: Array("x".utf8)
        ),
        StubCase(
            quirk: "a host is asked for with its port",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "destination": [{"matcher": "exact", "value": "a.test:8080"}]"#
            ),
            answers: ["GET http://a.test:8080/p"],
            ignores: ["GET http://a.test/p", "GET http://b.test:8080/p"]
        ),
        StubCase(
            quirk: "a pattern is looked for anywhere in the path",
            text: pair(#""path": [{"matcher": "regex", "value": "[0-9]+"}]"#),
            answers: ["GET http://a.test/users/7/cart", "GET http://a.test/7?x=1"],
            ignores: ["GET http://a.test/users"]
        ),
        StubCase(
            quirk: "a host that ends with a name",
            text: pair(#""destination": [{"matcher": "glob", "value": "*.a.test"}]"#),
            answers: ["GET http://x.a.test/p"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "a query of version 5 is asked for by name",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "query": {"q": [{"matcher": "glob", "value": "a*"}]}"#
            ),
            answers: ["GET http://a.test/p?q=abc", "GET http://a.test/p?q=a&r=1"],
            ignores: ["GET http://a.test/p", "GET http://a.test/p?q=b"]
        ),
        StubCase(
            quirk: "an empty query of version 5 allows none",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}], "query": {}"#),
            answers: ["GET http://a.test/p"],
            ignores: ["GET http://a.test/p?q=1"]
        ),
        StubCase(
            quirk: "the query of old",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}], "deprecatedQuery": [{"matcher": "exact", "value": "q=a%20b"}]"#
            ),
            answers: ["GET http://a.test/p?q=a%20b"],
            ignores: ["GET http://a.test/p?q=a", "GET http://a.test/p?q=a%20b&r=1"]
        ),
        StubCase(
            quirk: "a header field",
            text: pair(#""headers": {"X-Key": [{"matcher": "exact", "value": "1"}]}"#),
            answers: ["GET http://a.test/p\nX-Key: 1"],
            ignores: ["GET http://a.test/p", "GET http://a.test/p\nX-Key: 2"]
        ),
        StubCase(
            quirk: "anything but a value",
            text: pair(#""headers": {"X-Key": [{"matcher": "negate", "value": "1"}]}"#),
            answers: ["GET http://a.test/p\nX-Key: 2"],
            ignores: ["GET http://a.test/p\nX-Key: 1"]
        ),
        StubCase(
            quirk: "an empty body is asked for",
            text: pair(
                #""method": [{"matcher": "exact", "value": "POST"}], "body": [{"matcher": "exact", "value": ""}]"#
            ),
            answers: ["POST http://a.test/p"],
            ignores: ["POST http://a.test/p\n\nx"]
        ),
        StubCase(
            quirk: "JSON as a whole, in any order of its members",
            text: pair(#""body": [{"matcher": "json", "value": "{\"a\": 1, \"b\": 2}"}]"#),
            answers: ["POST http://a.test/p\n\n{\"b\":2,\"a\":1}"],
            ignores: ["POST http://a.test/p\n\n{\"a\":1}"]
        ),
        StubCase(
            quirk: "a JSONPath",
            text: pair(#""body": [{"matcher": "jsonpath", "value": "$.a.b"}]"#),
            answers: ["POST http://a.test/p\n\n{\"a\":{\"b\":0}}"],
            ignores: ["POST http://a.test/p\n\n{\"a\":{}}"]
        ),
        StubCase(
            quirk: "`doMatch`",
            text: pair(
                #""body": [{"matcher": "jsonpath", "value": "$.a", "doMatch": {"matcher": "exact", "value": "1"}}]"#
            ),
            leftOut: "`doMatch`"
        ),
        StubCase(
            quirk: "a delay of the whole simulation",
            text:
                #"{"data": {"pairs": [{"request": {"path": [{"matcher": "exact", "value": "/p"}]}, "response": {"status": 200}}], "globalActions": {"delays": [{"urlPattern": "/q", "delay": 1}, {"urlPattern": "/p", "delay": 250}]}}, "meta": {"schemaVersion": "v5"}}"#,
            says: ["delay: 250ms"]
        ),
        StubCase(
            quirk: "a base64 that is none",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "encodedBody": true, "body": "A""#
            ),
            leftOut: "no base64"
        ),
        StubCase(
            quirk: "a body file that is not there",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}]"#, #""status": 200, "bodyFile": "../b.json""#),
            leftOut: "'../b.json' is not there"
        ),
        StubCase(
            quirk: "a state that is set and removed",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "transitionsState": {"cart": "full", "user": "ada"}, "removesState": ["cart"]"#
            ),
            says: ["sets: { user: ada, cart: null }"]
        ),
        StubCase(
            quirk: "an action after the answer",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}]"#, #""status": 200, "postServeAction": "mail""#),
            note: "Tapedeck runs no programs"
        ),
        StubCase(
            quirk: "pairs in a list of their own, before version 1",
            text:
                #"{"data": [{"request": {"path": "/p", "method": "GET", "destination": "a.test", "query": "", "body": ""}, "response": {"status": 202, "body": "x"}}]}"#,
            says: ["status: 202"],
            body: Array("x".utf8),
            answers: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "templates of requests, before version 1",
            text:
                #"{"data": [{"requestTemplate": {"path": "/p", "method": "GET", "headers": {"X": ["1"]}}, "response": {"status": 201}}]}"#,
            says: ["status: 201"],
            answers: ["GET http://a.test/p\nX: 1"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "fields of a response with several values",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "headers": {"Vary": ["A", "B"]}"#
            ),
            says: ["Vary: A", "Vary: B"]
        ),
        StubCase(
            quirk: "a status that no response has",
            text: pair(#""path": [{"matcher": "exact", "value": "/p"}]"#, #""status": 0"#),
            leftOut: "no response has the status 0"
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "hoverfly") }
}
