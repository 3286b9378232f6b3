import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckImport

/// A stub of another tool, and the response set that it becomes.
struct StubCase: Sendable, CustomTestStringConvertible {
    let quirk: String
    let text: String
    /// Lines that the cassette has, without the spaces before them.
    var says: [String] = []
    /// The body that plays.
    var body: [UInt8]?
    /// A part of the reason for which it is left out.
    var leftOut: String?

    var testDescription: String { self.quirk }

    func check(as name: String) throws {
        let sides: [String: [UInt8]] = ["__files/b.json": [1, 2, 255], "b.json": [1, 2, 255]]
        let file = ImportFile(path: "file.json", bytes: Array(self.text.utf8)) { sides[$0] }
        let format = try #require(ImportFormats.recognising(file))
        #expect(format.name == name)
        let contents = try format.read(file)
        try #require(contents.stubs.count == 1)
        switch contents.stubs[0].result {
        case .failure(let error):
            #expect(error.reason.contains(self.leftOut ?? "plays"), "\(error.reason)")
        case .success(let stub):
            #expect(self.leftOut == nil)
            let text = String(
                decoding: CassetteWriter.text(
                    of: Cassette(name: "stub", state: contents.state, responseSets: [stub.set])
                ),
                as: UTF8.self
            )
            let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
            for line in self.says { #expect(lines.contains { $0 == line }, "\(line) is not in\n\(text)") }
            let read = CassetteReader.read(Array(text.utf8), name: "stub", path: "stub.yaml")
            #expect(!read.hasErrors, "\(read.diagnostics)")
            guard let body = self.body else { return }
            guard case .inline(let played) = stub.set.variants[0].behaviour.allTakes[0].body else {
                Issue.record("there is no body")
                return
            }
            #expect(played.decoded == body, "\(String(decoding: played.decoded, as: UTF8.self))")
        }
    }
}

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
            says: [#"urlPattern: /p/.*\.json(?:\?.*)?"#]
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
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "templated": true, "body": "{{ Request.Path.[0] }}""#
            ),
            leftOut: "template"
        ),
        StubCase(
            quirk: "a template without a tag",
            text: pair(
                #""path": [{"matcher": "exact", "value": "/p"}]"#,
                #""status": 200, "templated": true, "body": "x""#
            ),
            body: Array("x".utf8)
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "hoverfly") }
}

/// Expectations of MockServer, examples of Postman and OpenAPI.
@Suite struct OtherStubTests {
    private static func expectation(_ request: String, _ rest: String) -> String {
        #"[{"httpRequest": {"# + request + "}, " + rest + "}]"
    }

    static let mockServer: [StubCase] = [
        StubCase(
            quirk: "a path and a text",
            text: expectation(#""path": "/p""#, #""httpResponse": {"body": "hi"}"#),
            says: ["url: /p", "status: 200"],
            body: Array("hi".utf8)
        ),
        StubCase(
            quirk: "a pattern",
            text: expectation(#""path": "/p/.*""#, #""httpResponse": {"statusCode": 404}"#),
            says: [#"urlPattern: /p/.*(?:\?.*)?"#, "status: 404"]
        ),
        StubCase(
            quirk: "a body of JSON",
            text: expectation(#""path": "/p""#, #""httpResponse": {"body": {"type": "JSON", "json": {"a": 1}}}"#),
            says: ["content-type: application/json"],
            body: Array(#"{"a":1}"#.utf8)
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
    ]

    @Test(arguments: mockServer) func becomes(_ stub: StubCase) throws { try stub.check(as: "mockserver") }

    private static func collection(_ url: String, _ response: String) -> String {
        #"{"info": {"name": "c"}, "variable": [{"key": "v", "value": "one"}], "item": [{"name": "folder", "item": [{"name": "r", "request": {"method": "GET", "url": "#
            + url + #"}, "response": ["# + response + "]}]}]}"
    }

    static let postman: [StubCase] = [
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
            quirk: "no saved response",
            text: collection(#""https://a.test/p""#, ""),
            leftOut: "no saved response"
        ),
    ]

    @Test(arguments: postman) func becomesOfPostman(_ stub: StubCase) throws { try stub.check(as: "postman") }

    private static let schemas =
        ##", "components": {"schemas": {"A": {"properties": {"a": {"$ref": "#/components/schemas/A"}}}}}}"##

    private static func description(_ response: String) -> String {
        let start =
            #"{"openapi": "3.0.0", "servers": [{"url": "https://a.test/v1/"}], "paths": {"/p/{item-id}": {"get": "#
        return start + #"{"operationId": "op", "responses": {"# + response + "}}}}" + self.schemas
    }

    static let openAPI: [StubCase] = [
        StubCase(
            quirk: "an example",
            text: description(#""200": {"content": {"application/json": {"example": {"b": 1, "a": 2}}}}"#),
            says: ["method: GET", "urlTemplate: 'https://a.test/v1/p/{value1}'", "name: op"],
            body: Array(#"{"b":1,"a":2}"#.utf8)
        ),
        StubCase(
            quirk: "named examples are variants",
            text: description(
                #""200": {"content": {"application/json": {"examples": {"one": {"value": 1}, "two": {"value": 2}}}}}"#
            ),
            says: ["name: 200 one", "name: 200 two"],
            body: Array("1".utf8)
        ),
        StubCase(
            quirk: "a schema that holds itself",
            text: description(
                ##""200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}"##
            ),
            says: ["content-type: application/json"]
        ),
        StubCase(
            quirk: "the answer that succeeds plays",
            text: description(#""404": {"description": "no"}, "201": {"description": "yes"}"#),
            says: ["status: 201", "status: 404"]
        ),
        StubCase(quirk: "no responses", text: description(""), leftOut: "no responses"),
    ]

    @Test(arguments: openAPI) func becomesOfOpenAPI(_ stub: StubCase) throws { try stub.check(as: "openapi") }
}
