import Foundation
import Testing

/// Conditions of a response set on a request's body.
@Suite(.ownThreads) struct BodyMatchingTests {
    private static let json = ["-H", "Content-Type: application/json"]

    private static func sets(_ sets: (name: String, body: String)...) -> String {
        "tapedeck: 1\nresponseSets:\n"
            + sets.map { name, body in
                let lines = body.split(separator: "\n").map { "        \($0)\n" }.joined()
                return """
                      - name: \(name)
                        request:
                          method: POST
                          url: http://a.example/\(name)
                          body:
                    \(lines)    variants:
                          - name: ok
                            takes: [{ status: 200, body: { text: \(name) } }]

                    """
            }
            .joined()
    }

    /// Sends bodies to the path of a set, and expects which of them it answers.
    private static func expect(
        _ played: PlayedCassette,
        _ name: String,
        takes: [String],
        refuses: [String],
        _ options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (bodies, answer) in [(takes, name), (refuses, "501")] {
            for body in bodies {
                let found = try played.ask(options + ["--data-binary", body, "http://a.example/\(name)"])
                #expect(found == answer, "\(body)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `JSON is equal for any white space, key order and spelling of numbers`() throws {
        let played = try PlayedCassette(
            Self.sets(
                ("equal", #"json: '{"user": "ada", "n": 10, "list": [1, 2]}'"#),
                (
                    "loose",
                    #"json: '{"id": 1, "at": "now", "list": [1, 2]}'"#
                        + "\nignore: [$.id, $.at]\nignoreArrayOrder: true"
                ),
                ("subset", #"jsonSubset: '{"user": {"name": "ada"}}'"#)
            )
        )
        try Self.expect(
            played,
            "equal",
            takes: [#"{"list":[1,2],"n":1e1,"user":"\u0061da"}"#],
            refuses: [#"{"list":[2,1],"n":10,"user":"ada"}"#, #"{"user":"ada","n":10}"#, "no JSON"]
        )
        try Self.expect(
            played,
            "loose",
            takes: [#"{"id":99,"at":"later","list":[2,1]}"#, #"{"list":[1,2]}"#],
            refuses: [#"{"id":1,"at":"now","list":[1,3]}"#]
        )
        try Self.expect(
            played,
            "subset",
            takes: [#"{"user":{"name":"ada","age":36},"more":[]}"#],
            refuses: [#"{"user":{"name":"bob"}}"#, "[]"]
        )
        try played.stop()
    }

    @Test func `ids, dates and numbers that change from run to run are placeholders in a JSON body`() throws {
        let expected =
            #"{"id": "{{any.uuid}}", "at": "{{any.timestamp}}", "n": "{{any.number}}", "name": "{{any.string}}", "#
            + #""what": "{{any}}", "ref": "order-{{any.uuid}}", "fixed": true}"#
        let played = try PlayedCassette(Self.sets(("order", "json: '\(expected)'")))
        let uuid = "6f1f4d5e-7b3a-4c2d-9e8f-0a1b2c3d4e5f"
        func order(id: String? = nil, n: String = "7", fixed: Bool = true) -> String {
            #"{"id":"\#(id ?? uuid)","at":"2026-11-21T10:00:00Z","n":\#(n),"name":"ada","what":[1],"#
                + #""ref":"order-\#(uuid)","fixed":\#(fixed)}"#
        }
        try Self.expect(
            played,
            "order",
            takes: [order(), order(id: "00000000-0000-0000-0000-000000000000", n: "-1.5e3")],
            refuses: [order(id: "12"), order(n: #""7""#), order(fixed: false)]
        )
        try played.stop()
    }

    @Test func `JSONPath conditions are about values, counts and types`() throws {
        let played = try PlayedCassette(
            Self.sets(
                (
                    "path",
                    """
                    jsonPath:
                      $.user.name: ada
                      $.items[*]: { count: 2 }
                      $.total: { greaterThan: 9, type: number }
                      $.note: { absent: true }
                      $.items[?@.id == 2].title: { contains: wo }
                    """
                )
            )
        )
        func body(_ name: String = "ada", total: String = "10", more: String = "") -> String {
            #"{"user":{"name":"\#(name)"},"items":[{"id":1},{"id":2,"title":"two"}],"total":\#(total)\#(more)}"#
        }
        try Self.expect(
            played,
            "path",
            takes: [body(), body(total: "1e3")],
            refuses: [
                body("bob"), body(total: "9"), body(total: #""10""#), body(more: #","note":1"#),
                #"{"user":{"name":"ada"},"items":[{"id":2,"title":"two"}],"total":10}"#,
            ]
        )
        try played.stop()
    }

    @Test func `a form matches by its fields, in any order and encoding`() throws {
        let played = try PlayedCassette(
            Self.sets(
                ("login", "form: { user: ada lovelace, password: { present: true } }"),
                ("closed", "form: { user: ada }\notherFields: refused")
            )
        )
        try Self.expect(
            played,
            "login",
            takes: ["password=x&user=ada+lovelace", "user=ada%20lovelace&password=&more=1"],
            refuses: ["user=ada+lovelace", "user=bob&password=x"]
        )
        try Self.expect(played, "closed", takes: ["user=ada"], refuses: ["user=ada&more=1"])
        try played.stop()
    }

    @Test func `an upload matches by its parts, for any boundary of curl`() throws {
        let played = try PlayedCassette(
            Self.sets(
                (
                    "upload",
                    """
                    multipart:
                      title: holiday
                      photo: { filename: { suffix: .png }, contentType: image/png, content: { contains: PNG } }
                    """
                )
            )
        )
        try played.folder.write("\u{89}PNG and so on", to: "a.png")
        let url = "http://a.example/upload"
        func upload(_ title: String, _ photo: String) throws -> String {
            try played.ask("-F", "title=\(title)", "-F", "photo=@a.png;\(photo)", url)
        }
        #expect(try upload("holiday", "type=image/png") == "upload")
        #expect(try upload("holiday", "type=image/png") == "upload")
        #expect(try upload("work", "type=image/png") == "501")
        #expect(try upload("holiday", "type=image/jpeg") == "501")
        #expect(try upload("holiday", "type=image/png;filename=a.gif") == "501")
        try played.stop()
    }

    @Test func `text matches as a whole, in part or by a pattern, bytes by base64 or their digest`() throws {
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"  // of "hello"
        let played = try PlayedCassette(
            Self.sets(
                ("whole", "text: hello"),
                ("part", "text: { contains: ell, not: { suffix: '!' } }"),
                ("pattern", "pattern: 'id=[0-9]+$'"),
                ("ignoring-case", "pattern: { pattern: ^hello, ignoreCase: true }"),
                ("bytes", "base64: /wD+"),
                ("digest", "sha256: \(digest)")
            )
        )
        try Self.expect(played, "whole", takes: ["hello"], refuses: ["Hello", "hello "])
        try Self.expect(played, "part", takes: ["bells"], refuses: ["bells!", "balls"])
        try Self.expect(played, "pattern", takes: ["a id=12"], refuses: ["id=12 b"])
        try Self.expect(played, "ignoring-case", takes: ["HELLO there"], refuses: ["oh hello"])
        try played.folder.write(Data([0xFF, 0x00, 0xFE]), to: "bytes")
        try Self.expect(played, "bytes", takes: ["@bytes"], refuses: ["abc"])
        try Self.expect(played, "digest", takes: ["hello"], refuses: ["hello "])
        try played.stop()
    }

    @Test func `a GraphQL request matches by operation and variables`() throws {
        let played = try PlayedCassette(
            Self.sets(
                ("named", "graphql: Viewer"),
                ("asked", #"graphql: { operation: { prefix: Get }, variables: '{"id": 7}' }"#)
            )
        )
        try Self.expect(
            played,
            "named",
            takes: [
                #"{"query":"query Viewer { viewer { login } }"}"#,
                #"{"operationName":"Viewer","query":"query Viewer { a } query Other { b }"}"#,
            ],
            refuses: [#"{"query":"query Other { b }"}"#, #"{"query":"{ viewer }"}"#],
            Self.json
        )
        try Self.expect(
            played,
            "asked",
            takes: [#"{"query":"query GetUser($id: ID) { user(id: $id) }","variables":{"id":7,"more":1}}"#],
            refuses: [#"{"query":"query GetUser($id: ID) { user(id: $id) }","variables":{"id":8}}"#],
            Self.json
        )
        try played.stop()
    }

    @Test func `a body that curl compresses matches by its content`() throws {
        let played = try PlayedCassette(Self.sets(("packed", #"jsonPath: { $.user: ada }"#)))
        try played.folder.write(#"{"user":"ada"}"#, to: "body.json")
        let packed = try played.folder.run(["gzip", "-nk", "body.json"])
        #expect(packed.exitCode == 0, "\(packed.errorText)")
        let answer = try played.ask(
            ["-H", "Content-Encoding: gzip", "--data-binary", "@body.json.gz", "http://a.example/packed"]
        )
        #expect(answer == "packed")
        try played.stop()
    }
}
