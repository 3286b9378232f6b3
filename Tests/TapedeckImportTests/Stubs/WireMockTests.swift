import Testing

@testable import TapedeckImport

/// Stubs of WireMock.
@Suite struct WireMockTests {
    private static func stub(
        _ request: String = #""method": "GET", "url": "/a""#,
        _ response: String = #""status": 200"#,
        _ more: String = ""
    ) -> String {
        #"{"request": {"# + request + #"}, "response": {"# + response + "}" + more + "}"
    }

    static let cases: [StubCase] = [
        StubCase(quirk: "a URL", text: stub(), says: ["method: GET", "url: /a", "status: 200"]),
        StubCase(
            quirk: "any method",
            text: stub(#""method": "ANY", "urlPath": "/a""#),
            says: ["url: /a", "otherQuery: allowed"]
        ),
        StubCase(quirk: "a URL pattern", text: stub(#""urlPattern": "/a/[0-9]+""#), says: ["urlPattern: '/a/[0-9]+'"]),
        StubCase(
            quirk: "a path pattern takes any query",
            text: stub(#""urlPathPattern": "/a/.*""#),
            says: [#"urlPattern: '/a/[^?]*(?:\?.*)?'"#]
        ),
        StubCase(
            quirk: "a pattern that begins with no slash, and a host with its scheme",
            text: stub(#""urlPattern": "(/a|/b)/c", "scheme": "https", "host": {"equalTo": "x.test"}, "port": 8443"#),
            answers: ["GET https://x.test:8443/a/c", "GET https://x.test:8443/b/c"],
            ignores: ["GET http://x.test:8443/a/c", "GET https://x.test/a/c"]
        ),
        StubCase(
            quirk: "a port of any host",
            text: stub(#""url": "/a", "port": 8080"#),
            answers: ["GET http://x.test/a"],
            note: "condition on the port 8080 is left out"
        ),
        StubCase(
            quirk: "a path template",
            text: stub(#""urlPathTemplate": "/a/{id}""#),
            says: ["urlTemplate: '/a/{id}'"]
        ),
        StubCase(
            quirk: "priority 1 is asked first",
            text: stub(#""url": "/a""#, #""status": 200"#, #", "priority": 1"#),
            says: ["priority: 4"]
        ),
        StubCase(
            quirk: "a scenario is state",
            text: stub(
                #""url": "/a""#,
                #""status": 200"#,
                #", "scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "two""#
            ),
            says: ["s: Started", "requires: { s: Started }", "sets: { s: two }"]
        ),
        StubCase(quirk: "a body", text: stub(#""url": "/a""#, #""body": "hi""#), body: Array("hi".utf8)),
        StubCase(quirk: "a body in base64", text: stub(#""url": "/a""#, #""base64Body": "AAH/""#), body: [0, 1, 255]),
        StubCase(
            quirk: "a body of JSON",
            text: stub(#""url": "/a""#, #""jsonBody": {"b": 1.0, "a": [true, null]}"#),
            body: Array(#"{"b":1.0,"a":[true,null]}"#.utf8)
        ),
        StubCase(
            quirk: "a body of JSON with a character beyond U+FFFF, which Jackson escapes",
            text: stub(#""url": "/a""#, #""jsonBody": ["é😀"]"#),
            body: Array(#"["é\uD83D\uDE00"]"#.utf8)
        ),
        StubCase(
            quirk: "a body in a file",
            text: stub(#""url": "/a""#, #""bodyFileName": "b.json""#),
            body: [1, 2, 255]
        ),
        StubCase(
            quirk: "a body file that is not there",
            text: stub(#""url": "/a""#, #""bodyFileName": "../../c""#),
            leftOut: "'../../c' is not there"
        ),
        StubCase(
            quirk: "a fault",
            text: stub(#""url": "/a""#, #""fault": "EMPTY_RESPONSE""#),
            says: ["fault: emptyResponse"]
        ),
        StubCase(
            quirk: "a delay",
            text: stub(#""url": "/a""#, #""fixedDelayMilliseconds": 1500"#),
            says: ["delay: 1.5s"]
        ),
        StubCase(
            quirk: "fields of several values",
            text: stub(#""url": "/a""#, #""headers": {"Vary": ["A", "B"], "X": "1"}"#),
            says: ["Vary: A", "Vary: B", "X: '1'"]
        ),
        StubCase(
            quirk: "a condition on the body",
            text: stub(#""url": "/a", "bodyPatterns": [{"equalToJson": "{\"a\": 1}", "ignoreExtraElements": true}]"#),
            says: [#"jsonSubset: '{"a": 1}'"#]
        ),
        StubCase(
            quirk: "a condition on a field",
            text: stub(#""url": "/a", "headers": {"Accept": {"contains": "json"}}"#),
            says: ["Accept: { contains: json }"]
        ),
        StubCase(
            quirk: "one of several conditions",
            text: stub(
                #""urlPath": "/a", "queryParameters": {"q": {"or": [{"equalTo": "x.y"}, {"matches": "z+"}, {"contains": "?"}]}}"#
            ),
            answers: ["GET http://a.test/a?q=x.y", "GET http://a.test/a?q=zz", "GET http://a.test/a?q=a%3Fb"],
            ignores: ["GET http://a.test/a?q=xay", "GET http://a.test/a?q=zzy", "GET http://a.test/a"]
        ),
        StubCase(
            quirk: "a condition that no cassette can state",
            text: stub(#""url": "/a", "bodyPatterns": [{"matchesXPath": "/a"}]"#),
            leftOut: "`matchesXPath`"
        ),
        StubCase(
            quirk: "a matcher of its own",
            text: stub(#""url": "/a", "customMatcher": {"name": "m"}"#),
            leftOut: "`customMatcher`"
        ),
        StubCase(
            quirk: "a proxy",
            text: stub(#""url": "/a""#, #""status": 200, "proxyBaseUrl": "http://b""#),
            leftOut: "forwards"
        ),
        StubCase(
            quirk: "a template",
            text: stub(
                #""url": "/a""#,
                #""body": "{{request.query.q}} {{{jsonPath request.body '$.a.b'}}}", "transformers": ["response-template"]"#
            ),
            says: ["template: true"],
            body: Array("{{query.q}} {{{json.a.b}}}".utf8)
        ),
        StubCase(
            quirk: "a date with an offset",
            text: stub(
                #""url": "/a""#,
                #""headers": {"Date": "{{now offset='-1 seconds' timezone='GMT' format='EEE, dd MMM yyyy HH:mm:ss z'}}"}"#
            ),
            says: ["Date: '{{now.minus-1s.http}}'", "template: true"]
        ),
        StubCase(
            quirk: "braces without a transformer stand for themselves",
            text: stub(#""url": "/a""#, #""body": "{{x}}""#),
            body: Array("{{x}}".utf8),
            note: "{{x}} is played unchanged"
        ),
        StubCase(
            quirk: "a template without a transformer, as with global templating",
            text: stub(#""url": "/a""#, #""body": "{{request.method}}""#),
            says: ["template: true"],
            note: "--global-response-templating"
        ),
        StubCase(
            quirk: "a template of times and random values",
            text: stub(
                #""url": "/a""#,
                #""body": "{{now offset='2 days' format='dd.MM.yyyy HH:mm'}} {{randomInt lower=1 upper=4}} {{randomValue length=3 type='NUMERIC'}}", "transformers": ["response-template"]"#
            ),
            body: Array(
                "{{#now.plus-172800s}}%d.%m.%Y %H:%M{{/now.plus-172800s}} {{random.number-1-3}} {{random.number-100-999}}"
                    .utf8
            )
        ),
        StubCase(
            quirk: "segments of an exact path",
            text: stub(
                #""urlPath": "/a/b%20c""#,
                #""body": "{{request.path.[1]}}{{request.pathSegments.[0]}}", "transformers": ["response-template"]"#
            ),
            body: Array("b ca".utf8)
        ),
        StubCase(
            quirk: "segments of a pattern",
            text: stub(
                #""urlPathPattern": "/a/[^/]+/([0-9]+)""#,
                #""body": "{{request.path.[1]}} {{request.path.2}}", "transformers": ["response-template"]"#
            ),
            body: Array("{{url.segment1}} {{url.segment2}}".utf8),
            answers: ["GET http://a.test/a/x/7"],
            ignores: ["GET http://a.test/a/x/y"]
        ),
        StubCase(
            quirk: "segments of a template, whose gap has a name that ours has not",
            text: stub(
                #""urlPathTemplate": "/a/{the-id}""#,
                #""body": "{{request.path.[1]}} {{request.pathSegments.[0]}}", "transformers": ["response-template"]"#
            ),
            says: ["urlTemplate: '/a/{the_id}'"],
            body: Array("{{url.the_id}} a".utf8)
        ),
        StubCase(
            quirk: "a JSONPath with quotes in quotes",
            text: stub(
                #""url": "/a""#,
                #""body": "{\"a\": \"{{jsonPath request.body '$.a[0]['b']'}}\", \"c\": {{jsonPath request.body '$.c'}}}", "transformers": ["response-template"]"#
            ),
            leftOut: "jsonPath"
        ),
        StubCase(
            quirk: "JSON in a string and as a value",
            text: stub(
                #""url": "/a""#,
                #""body": "{\"a\": \"{{jsonPath request.body '$.a[0].b'}}\", \"c\": {{jsonPath request.body '$.c'}}}", "transformers": ["response-template"]"#
            ),
            body: Array(#"{"a": "{{json.a.0.b}}", "c": {{{json.c}}}}"#.utf8)
        ),
        StubCase(
            quirk: "a form, a parameter, and letters in another case",
            text: stub(
                #""url": "/a""#,
                #""body": "{{formData request.body 'f'}}{{f.x}} {{parameters.p}} {{upper request.query.q}}", "transformers": ["response-template"], "transformerParameters": {"p": "P"}"#
            ),
            body: Array("{{form.x}} P {{uppercased(query.q)}}".utf8)
        ),
        StubCase(
            quirk: "a block of a template",
            text: stub(
                #""url": "/a""#,
                #""body": "{{#each request.query.q as |v|}}{{v}}{{/each}}", "transformers": ["response-template"]"#
            ),
            leftOut: "{{#each request.query.q as |v|}}"
        ),
        StubCase(
            quirk: "XML",
            text: stub(
                #""url": "/a", "method": "POST", "bodyPatterns": [{"equalToXml": "<?xml version=\"1.0\"?>\n<a>\n  <b c=\"1\">x.y</b><d>${xmlunit.ignore}</d>\n</a>"}]"#
            ),
            answers: ["POST http://a.test/a\n\n<a><b  c=\"1\"> x.y</b> <d>any</d></a>"],
            ignores: ["POST http://a.test/a\n\n<a><b c=\"1\">xzy</b><d/></a>", "POST http://a.test/a\n\n<a/>"],
            note: "XML is compared as text"
        ),
        StubCase(
            quirk: "conditions on path parameters",
            text: stub(
                #""urlPathTemplate": "/a/{x}/{y}", "pathParameters": {"x": {"equalTo": "1"}, "y": {"matches": "[a-f]+"}}"#
            ),
            answers: ["GET http://a.test/a/1/cafe"],
            ignores: ["GET http://a.test/a/2/cafe", "GET http://a.test/a/1/xyz"]
        ),
        StubCase(
            quirk: "limits that count themselves",
            text: stub(
                #""urlPath": "/a", "queryParameters": {"n": {"greaterThanEqualNumber": 5}, "m": {"equalToNumber": 2}, "o": {"anything": "(always)"}}"#
            ),
            answers: ["GET http://a.test/a?n=5&m=2.0", "GET http://a.test/a?n=6&m=2&o=1"],
            ignores: ["GET http://a.test/a?n=4&m=2", "GET http://a.test/a?n=x&m=2", "GET http://a.test/a?n=5&m=3"]
        ),
        StubCase(
            quirk: "a part that its field names",
            text: stub(
                #""url": "/a", "multipartPatterns": [{"headers": {"Content-Disposition": {"contains": "name=\"f\""}}, "bodyPatterns": [{"contains": "x"}]}]"#
            ),
            says: ["f: { contains: x }"]
        ),
        StubCase(
            quirk: "several conditions of a kind on one value",
            text: stub(
                #""urlPath": "/a", "queryParameters": {"q": {"and": [{"contains": "x"}, {"contains": "y"}, {"not": {"contains": "z"}}, {"doesNotMatch": "a.*"}]}}"#
            ),
            answers: ["GET http://a.test/a?q=yx"],
            ignores: ["GET http://a.test/a?q=x", "GET http://a.test/a?q=xyz", "GET http://a.test/a?q=axy"]
        ),
        StubCase(
            quirk: "comments, which WireMock takes",
            text:
                "// A stub.\n{\"request\": {\"url\": \"/a\", /* any\n method */ \"method\": \"ANY\"}, // end\n\"response\": {\"status\": 200}}",
            answers: ["PUT http://a.test/a"]
        ),
        StubCase(
            quirk: "a stub for messages",
            text: #"{"trigger": {"type": "message"}, "actions": [{"type": "send"}]}"#,
            leftOut: "a stub for messages"
        ),
        StubCase(
            quirk: "a JSONPath with a pattern for a member, as Spring Cloud Contract writes it",
            text: stub(#""url": "/a", "bodyPatterns": [{"matchesJsonPath": "$[?(@.['a'].['b'] =~ /[2-9][0-9]/)]"}]"#),
            answers: ["POST http://a.test/a\n\n{\"a\":{\"b\":27}}"],
            ignores: ["POST http://a.test/a\n\n{\"a\":{\"b\":127}}", "POST http://a.test/a\n\n{\"a\":1}"]
        ),
        StubCase(
            quirk: "a JSONPath with a value for a member of each item",
            text: stub(
                #""url": "/a", "bodyPatterns": [{"matchesJsonPath": "$.['l'][*][?(@.['n'] == 'x y')]"}, {"matchesJsonPath": "$.l[?(@.n == 1.0)]"}]"#
            ),
            answers: ["POST http://a.test/a\n\n{\"l\":[{\"n\":\"x y\"},{\"n\":1}]}"],
            ignores: ["POST http://a.test/a\n\n{\"l\":[{\"n\":\"x y\"}]}", "POST http://a.test/a\n\n{\"n\":\"x y\"}"]
        ),
        StubCase(quirk: "no response", text: #"{"mappings": [{"request": {"url": "/a"}}]}"#, says: ["status: 200"]),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "wiremock") }
}
