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
            says: [#"urlPattern: /a/.*(?:\?.*)?"#]
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
            text: stub(#""url": "/a", "bodyPatterns": [{"equalToXml": "<a/>"}]"#),
            leftOut: "`equalToXml`"
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
            body: Array("{{x}}".utf8)
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "wiremock") }
}
