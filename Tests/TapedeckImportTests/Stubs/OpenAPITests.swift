import TapedeckCore
import Testing

@testable import TapedeckImport

/// Examples of OpenAPI descriptions.
@Suite struct OpenAPITests {
    private static let schemas =
        ##", "components": {"schemas": {"A": {"properties": {"a": {"$ref": "#/components/schemas/A"}}}}}}"##

    private static func description(_ response: String) -> String {
        let start =
            #"{"openapi": "3.0.0", "servers": [{"url": "https://a.test/v1/"}], "paths": {"/p/{item-id}": {"get": "#
        return start + #"{"operationId": "op", "responses": {"# + response + "}}}}" + self.schemas
    }

    static let cases: [StubCase] = [
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
        StubCase(
            quirk: "a made-up answer says so, and was never recorded",
            text: description(
                #""200": {"content": {"application/json": {"schema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}}}}}"#
            ),
            body: Array(#"{"n":3}"#.utf8),
            note: "made up from its schema"
        ),
        StubCase(
            quirk: "formats of texts",
            text: description(
                #""200": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "string", "format": "date"}}}}}"#
            ),
            body: Array(#"["2026-01-01"]"#.utf8)
        ),
        StubCase(
            quirk: "all of several schemas",
            text: description(
                #""200": {"content": {"application/json": {"schema": {"allOf": [{"properties": {"a": {"type": "boolean"}}}, {"properties": {"b": {"enum": ["x"]}}}]}}}}"#
            ),
            body: Array(#"{"a":true,"b":"x"}"#.utf8)
        ),
        StubCase(
            quirk: "one of several schemas, and a type that may be null",
            text: description(
                #""200": {"content": {"application/json": {"schema": {"oneOf": [{"type": ["null", "integer"]}]}}}}"#
            ),
            body: Array("0".utf8)
        ),
        StubCase(
            quirk: "examples in the schema",
            text: description(
                #""200": {"content": {"application/json": {"schema": {"properties": {"a": {"example": 7}, "b": {"default": "d"}}}}}}"#
            ),
            body: Array(#"{"a":7,"b":"d"}"#.utf8)
        ),
        StubCase(
            quirk: "a path whose gap has a name with a dash",
            text: description(#""200": {"description": "yes"}"#),
            answers: ["GET https://a.test/v1/p/7"],
            ignores: ["GET https://a.test/p/7", "POST https://a.test/v1/p/7"]
        ),
        StubCase(
            quirk: "a range of statuses",
            text: description(#""4XX": {"description": "no"}, "2XX": {"description": "yes"}"#),
            says: ["status: 200", "status: 400"]
        ),
        StubCase(
            quirk: "the default beside another is an error",
            text: description(#""201": {"description": "yes"}, "default": {"description": "no"}"#),
            says: ["status: 201", "status: 500"]
        ),
        StubCase(
            quirk: "the default alone",
            text: description(#""default": {"description": "yes"}"#),
            says: ["status: 200"]
        ),
        StubCase(
            quirk: "fields with examples",
            text: description(
                #""200": {"headers": {"X-Limit": {"schema": {"type": "integer", "example": 60}}, "X-None": {}}}"#
            ),
            says: ["X-Limit: '60'"]
        ),
        StubCase(
            quirk: "an example that is text of JSON already",
            text: description(#""200": {"content": {"application/json": {"example": "{ \"a\": 1 }"}}}"#),
            body: Array(#"{ "a": 1 }"#.utf8)
        ),
        StubCase(
            quirk: "an example of another type is its text",
            text: description(#""200": {"content": {"text/plain": {"example": "hi"}}}"#),
            says: ["content-type: text/plain"],
            body: Array("hi".utf8)
        ),
        StubCase(
            quirk: "a response that stands elsewhere",
            text: description(##""200": {"$ref": "#/components/responses/None"}"##),
            says: ["status: 200"]
        ),
        StubCase(
            quirk: "version 2 with host and basePath",
            text:
                #"{"swagger": "2.0", "host": "a.test", "basePath": "/v2", "schemes": ["http"], "paths": {"/p": {"post": {"responses": {"200": {"examples": {"application/json": {"a": 1}}}}}}}}"#,
            body: Array(#"{"a":1}"#.utf8),
            answers: ["POST http://a.test/v2/p"]
        ),
        StubCase(
            quirk: "YAML with numbers as statuses",
            text: """
                openapi: 3.1.0
                servers: [{url: 'https://{region}.a.test', variables: {region: {default: eu}}}]
                paths:
                  /p:
                    get:
                      responses:
                        200:
                          content:
                            application/json:
                              example: {a: yes, b: [1, ~]}
                """,
            answers: ["GET https://eu.a.test/p"]
        ),
        StubCase(
            quirk: "no servers: any host",
            text: #"{"openapi": "3.0.0", "paths": {"/p": {"get": {"responses": {"204": {}}}}}}"#,
            says: ["status: 204"],
            answers: ["GET https://a.test/p", "GET http://b.test/p"]
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "openapi") }

    @Test func anyMapMayBeAReference() throws {
        let sides = [
            "paths.yml": "/p: {get: {responses: {$ref: responses.yml}}}",
            "responses.yml":
                "'200': {content: {$ref: 'bodies.yml#/text'}}\n'404': {$ref: 'api.yml#/components/responses/none'}",
            "bodies.yml": "text: {text/plain: {example: hi}}",
            "components.yml": "none: {content: {text/plain: {example: gone}}}",
        ]
        let text = """
            openapi: 3.0.0
            paths: {$ref: ./paths.yml}
            components: {responses: {$ref: ./components.yml}}
            """
        let file = ImportFile(path: "api.yml", bytes: Array(text.utf8)) { path in
            (path == "api.yml" ? text : sides[path]).map { Array($0.utf8) }
        }
        let stubs = try OpenAPIDescription().read(file).stubs
        try #require(stubs.count == 1)
        let stub = try stubs[0].result.get()
        #expect(stub.notes.isEmpty)
        let bodies = stub.set.variants.compactMap { variant -> [UInt8]? in
            guard case .inline(let body)? = variant.takes.first?.body else { return nil }
            return body.decoded
        }
        #expect(bodies == [Array("hi".utf8), Array("gone".utf8)])

        let lost = ImportFile(path: "api.yml", bytes: Array(text.utf8)) { _ in nil }
        let entries = try OpenAPIDescription().read(lost).stubs
        #expect(entries.count == 1)
        #expect(throws: LeftOut("`$ref` leads to './paths.yml', which is not there", line: 2)) {
            try entries[0].result.get()
        }
    }

    @Test func otherFilesAreFollowed() throws {
        let sides = [
            "paths/p.yml": "get: {$ref: '../get.yml#/operations/0'}",
            "get.yml":
                "operations: [{responses: {'200': {$ref: '#/ok'}, '404': {$ref: no.yml}}}]\nok: {content: {text/plain: {example: hi}}}",
        ]
        let text = """
            openapi: 3.0.0
            paths:
              /p: {$ref: ./paths/p.yml}
              /q: {$ref: q.yml}
            """
        let file = ImportFile(path: "api.yml", bytes: Array(text.utf8)) { sides[$0].map { Array($0.utf8) } }
        let stubs = try OpenAPIDescription().read(file).stubs
        try #require(stubs.count == 2)
        let stub = try stubs[0].result.get()
        #expect(stub.set.variants.map(\.name) == ["200", "404"])
        #expect(stub.notes == ["the answer 404 is empty: 'no.yml' is not there"])
        guard case .inline(let body)? = stub.set.variants.first?.takes.first?.body else {
            Issue.record("there is no body")
            return
        }
        #expect(body.decoded == Array("hi".utf8))
        #expect(throws: LeftOut("`$ref` leads to 'q.yml', which is not there", line: 4)) { try stubs[1].result.get() }
    }
}
