import Testing

@testable import TapedeckImport

/// Expectations of MockServer.
@Suite struct MockServerTests {
    private static func expectation(_ request: String, _ rest: String) -> String {
        #"[{"httpRequest": {"# + request + "}, " + rest + "}]"
    }

    static let cases: [StubCase] = [
        StubCase(
            quirk: "a path and a text",
            text: expectation(#""path": "/p""#, #""httpResponse": {"body": "hi"}"#),
            says: ["url: /p", "status: 200"],
            body: Array("hi".utf8)
        ),
        StubCase(
            quirk: "a pattern",
            text: expectation(#""path": "/p/.*""#, #""httpResponse": {"statusCode": 404}"#),
            answers: ["GET http://a.test/p/x?y=1"],
            ignores: ["GET http://a.test/q?/p/"]
        ),
        StubCase(
            quirk: "a body of JSON",
            text: expectation(#""path": "/p""#, #""httpResponse": {"body": {"type": "JSON", "json": {"a": 1}}}"#),
            says: ["content-type: application/json"],
            body: Array("{\n  \"a\" : 1\n}".utf8)
        ),
        StubCase(
            quirk: "bytes",
            text: expectation(
                #""path": "/p""#,
                #""httpResponse": {"body": {"type": "BINARY", "base64Bytes": "AAH/"}}"#
            ),
            body: [0, 1, 255]
        ),
        StubCase(
            quirk: "fields as a list",
            text: expectation(#""path": "/p""#, #""httpResponse": {"headers": [{"name": "X", "values": ["1", "2"]}]}"#),
            says: ["X: '1'", "X: '2'"]
        ),
        StubCase(
            quirk: "answers that run out",
            text: expectation(
                #""path": "/p""#,
                #""times": {"remainingTimes": 2}, "httpResponse": {"statusCode": 200}"#
            ),
            says: ["after: unmatched"]
        ),
        StubCase(
            quirk: "a delay in seconds",
            text: expectation(#""path": "/p""#, #""httpResponse": {"delay": {"timeUnit": "SECONDS", "value": 2}}"#),
            says: ["delay: 2s"]
        ),
        StubCase(
            quirk: "a dropped connection",
            text: expectation(#""path": "/p""#, #""httpError": {"dropConnection": true}"#),
            says: ["fault: emptyResponse"]
        ),
        StubCase(
            quirk: "a forward",
            text: expectation(#""path": "/p""#, #""httpForward": {"host": "b"}"#),
            leftOut: "`httpForward`"
        ),
        StubCase(
            quirk: "JSON of which a part is asked for",
            text: expectation(#""body": {"type": "JSON", "json": "{\"a\": 1}"}"#, #""httpResponse": {}"#),
            says: [#"jsonSubset: '{"a": 1}'"#]
        ),
        StubCase(
            quirk: "one expectation without a list",
            text: #"{"id": "one", "httpRequest": {"path": "p"}, "httpResponse": {}}"#,
            says: ["name: one", "url: /p"]
        ),
        StubCase(
            quirk: "a method in lower case, and any query",
            text: expectation(#""method": "put", "path": "/p""#, #""httpResponse": {}"#),
            answers: ["PUT http://a.test/p?x=1"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "anything but a method",
            text: expectation(#""method": "!GET""#, #""httpResponse": {}"#),
            answers: ["POST http://a.test/p"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "a path with a gap",
            text: expectation(#""path": "/p/{id}", "pathParameters": {"id": ["[0-9]+"]}"#, #""httpResponse": {}"#),
            answers: ["GET http://a.test/p/7"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "query as a map, of which one value is a pattern",
            text: expectation(
                #""path": "/p", "queryStringParameters": {"a": ["1"], "b": ["x.*"]}"#,
                #""httpResponse": {}"#
            ),
            answers: ["GET http://a.test/p?a=1&b=xyz"],
            ignores: ["GET http://a.test/p?a=1", "GET http://a.test/p?a=1&b=y"]
        ),
        StubCase(
            quirk: "query as a list",
            text: expectation(
                #""path": "/p", "queryStringParameters": [{"name": "a", "values": ["1"]}]"#,
                #""httpResponse": {}"#
            ),
            answers: ["GET http://a.test/p?a=1"],
            ignores: ["GET http://a.test/p?a=2"]
        ),
        StubCase(
            quirk: "a header field that must be another",
            text: expectation(#""path": "/p", "headers": {"X": ["!1"]}"#, #""httpResponse": {}"#),
            answers: ["GET http://a.test/p\nX: 2"],
            ignores: ["GET http://a.test/p\nX: 1"]
        ),
        StubCase(
            quirk: "a field that must not be there",
            text: expectation(#""path": "/p", "headers": {"!X": []}"#, #""httpResponse": {}"#),
            leftOut: "'!X' cannot be stated"
        ),
        StubCase(
            quirk: "a cookie",
            text: expectation(#""path": "/p", "cookies": {"s": "1"}"#, #""httpResponse": {}"#),
            answers: ["GET http://a.test/p\nCookie: t=0; s=1"],
            ignores: ["GET http://a.test/p"]
        ),
        StubCase(
            quirk: "a form",
            text: expectation(
                #""body": {"type": "PARAMETERS", "parameters": {"a": ["1"]}}"#,
                #""httpResponse": {}"#
            ),
            answers: ["POST http://a.test/p\nContent-Type: application/x-www-form-urlencoded\n\na=1&b=2"],
            ignores: ["POST http://a.test/p\nContent-Type: application/x-www-form-urlencoded\n\na=2"]
        ),
        StubCase(
            quirk: "JSON as a whole",
            text: expectation(
                #""body": {"type": "JSON", "json": {"a": 1}, "matchType": "STRICT"}"#,
                #""httpResponse": {}"#
            ),
            answers: ["POST http://a.test/p\n\n{\"a\": 1}"],
            ignores: ["POST http://a.test/p\n\n{\"a\": 1, \"b\": 2}"]
        ),
        StubCase(
            quirk: "JSON without a type around it",
            text: expectation(#""body": {"a": 1}"#, #""httpResponse": {}"#),
            answers: ["POST http://a.test/p\n\n{\"a\": 1, \"b\": 2}"],
            ignores: ["POST http://a.test/p\n\n{\"a\": 2}"]
        ),
        StubCase(
            quirk: "a part of a text, and a pattern of a text",
            text: expectation(#""body": {"type": "REGEX", "regex": "a+b"}"#, #""httpResponse": {}"#),
            answers: ["POST http://a.test/p\n\naab"],
            ignores: ["POST http://a.test/p\n\nxaab"]
        ),
        StubCase(
            quirk: "XML",
            text: expectation(#""body": {"type": "XPATH", "xpath": "/a"}"#, #""httpResponse": {}"#),
            leftOut: "XPATH"
        ),
        StubCase(
            quirk: "a reason, cookies, and fields as a map",
            text: expectation(
                #""path": "/p""#,
                #""httpResponse": {"statusCode": 418, "reasonPhrase": "Short", "headers": {"X": ["1"]}, "cookies": {"s": "1"}}"#
            ),
            says: ["reason: Short", "X: '1'", "set-cookie: s=1", "status: 418"]
        ),
        StubCase(
            quirk: "a template",
            text: expectation(#""path": "/p""#, #""httpResponseTemplate": {"template": "x"}"#),
            leftOut: "`httpResponseTemplate`"
        ),
        StubCase(
            quirk: "a life that ends",
            text: expectation(#""path": "/p""#, #""timeToLive": {"unlimited": false}, "httpResponse": {}"#),
            note: "`timeToLive`"
        ),
        StubCase(
            quirk: "bytes that are no HTTP",
            text: expectation(#""path": "/p""#, #""httpError": {"responseBytes": "AAH/"}"#),
            says: ["fault: garbage"]
        ),
        StubCase(
            quirk: "a body of JSON is printed as Jackson does",
            text: expectation(
                #""path": "/p""#,
                #""httpResponse": {"body": {"type": "JSON", "json": {"a": [1, {"b": "\u00e9"}], "c": {}, "d": []}}}"#
            ),
            body: Array("{\n  \"a\" : [ 1, {\n    \"b\" : \"é\"\n  } ],\n  \"c\" : { },\n  \"d\" : [ ]\n}".utf8)
        ),
        StubCase(
            quirk: "the bytes that were recorded",
            text: expectation(
                #""path": "/p""#,
                #""httpResponse": {"body": {"type": "STRING", "string": "x", "rawBytes": "AAH/"}}"#
            ),
            body: [0, 1, 255]
        ),
        StubCase(
            quirk: "an OpenAPI description",
            text: #"[{"specUrlOrPayload": "a.json", "operationsAndResponses": {"list": "200"}}]"#,
            leftOut: "OpenAPI description 'a.json'"
        ),
        StubCase(
            quirk: "a charset",
            text: expectation(
                #""path": "/p""#,
                #""httpResponse": {"body": {"type": "STRING", "string": "\u00e9", "charset": "iso-8859-1"}}"#
            ),
            says: ["content-type: text/plain; charset=iso-8859-1"],
            body: [0xE9]
        ),
        StubCase(
            quirk: "a body in a file",
            text: expectation(#""path": "/p""#, #""httpResponse": {"body": {"type": "FILE", "filePath": "b.json"}}"#),
            body: [1, 2, 255]
        ),
        StubCase(
            quirk: "XML",
            text: expectation(
                #""path": "/p", "body": {"type": "XML", "xml": "<a> <b/> </a>"}"#,
                #""httpResponse": {"statusCode": 201}"#
            ),
            answers: ["POST http://a.test/p\n\n<a><b/></a>"],
            ignores: ["POST http://a.test/p\n\n<a/>"]
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "mockserver") }
}
