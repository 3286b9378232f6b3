import Testing

@testable import TapedeckImport

/// Mock routes of Insomnia.
@Suite struct InsomniaTests {
    private static func route(_ members: String) -> String {
        """
        _type: export
        __export_format: 4
        resources:
          - {_id: wrk_1, _type: workspace, name: W}
          - {_id: mock_1, _type: mock, name: M, url: "http://localhost:8080"}
          - {_id: mock-route_1, _type: mock_route, name: /a, \(members)}
        """
    }

    static let cases: [StubCase] = [
        StubCase(
            quirk: "a route",
            text: route("method: GET, statusCode: 201, body: hi"),
            says: ["method: GET", "url: /a", "otherQuery: allowed", "status: 201"],
            body: Array("hi".utf8),
            answers: ["GET http://any.test/a?q=1"],
            ignores: ["POST http://any.test/a", "GET http://any.test/b"]
        ),
        StubCase(
            quirk: "a type, which is a field of its own",
            text: route("method: GET, mimeType: application/json, body: '{}'"),
            says: ["content-type: application/json"],
            body: Array("{}".utf8)
        ),
        StubCase(
            quirk: "fields, of which one is switched off",
            text: route("method: GET, headers: [{name: X-A, value: '1'}, {name: X-B, value: '2', disabled: true}]"),
            says: ["X-A: '1'"]
        ),
        StubCase(quirk: "no status", text: route("method: PUT"), says: ["method: PUT", "status: 200"]),
        StubCase(
            quirk: "a status that no response has",
            text: route("method: GET, statusCode: 99"),
            leftOut: "no response has the status 99"
        ),
        StubCase(quirk: "a reason", text: route("method: GET, statusText: Fine"), says: ["reason: Fine"]),
        StubCase(
            quirk: "version 5",
            text: """
                type: mock.insomnia.rest/5.0
                name: M
                routes:
                  - {name: /a, method: GET, statusCode: 202, body: x}
                """,
            says: ["status: 202"],
            body: Array("x".utf8)
        ),
    ]

    @Test(arguments: cases) func becomes(_ stub: StubCase) throws { try stub.check(as: "insomnia") }
}
