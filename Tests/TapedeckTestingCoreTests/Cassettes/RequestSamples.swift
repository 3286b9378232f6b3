import Foundation
import TapedeckTestingCore

/// Matchers with the `request` that a file has for the same.
enum RequestSamples {
    static let all: [(RequestMatcher, String)] = [
        (.post("/login"), "{ method: POST, url: /login, otherQuery: allowed }"),
        (.get("/a?b=c"), "{ method: GET, url: /a?b=c }"),
        (.get("https://a.test/b"), "{ method: GET, url: https://a.test/b, otherQuery: allowed }"),
        (.get("/a").otherQuery(.refused).query("q", "é +"), "{ method: GET, url: /a, query: { q: é + } }"),
        (.get("/a?b=c").otherQuery(.allowed), "{ method: GET, url: /a?b=c, otherQuery: allowed }"),
        (.get("/users/{id}").query("page", 2), "{ method: GET, urlTemplate: '/users/{id}', query: { page: 2 } }"),
        (.any("/x/{+rest}").otherQuery(.refused), "{ urlTemplate: '/x/{+rest}', otherQuery: refused }"),
        (.put(pattern: "/a/\\d+"), #"{ method: PUT, urlPattern: '/a/\d+' }"#),
        (
            .method("PURGE", pattern: "/A", ignoringCase: true),
            "{ method: PURGE, urlPattern: { pattern: /A, ignoreCase: true } }"
        ),
        (.methods(["GET", "HEAD"], "/"), "{ method: [GET, HEAD], url: /, otherQuery: allowed }"),
        (.any, "{ urlPattern: '/.*' }"),
        (.host("api.example.com"), "{ host: api.example.com }"),
        (
            .delete("/x").host("a.test", "*.b.test"),
            "{ method: DELETE, url: /x, otherQuery: allowed, host: [a.test, '*.b.test'] }"
        ),
        (.options("/x").host(pattern: "a|b"), "{ method: OPTIONS, url: /x, otherQuery: allowed, hostPattern: a|b }"),
        (
            .head("https://a.test/").host("a.test"),
            "{ method: HEAD, url: https://a.test/, otherQuery: allowed, all: [{ host: a.test }] }"
        ),
        (.host("a.test").host("*.test"), "{ host: a.test, all: [{ host: '*.test' }] }"),
        (
            .patch("/x").query("a", ["1", "2"]).query("b", .values([])).query("c", .oneOf("x", "y")),
            """
            { method: PATCH, url: /x, otherQuery: allowed, query: { a: [1, 2], b: { absent: true }, c: { oneOf: [x, y] } } }
            """
        ),
        (
            .host("a.test").header("a", .contains("b")).header("c", .prefix("d")).header("e", .suffix("f")),
            "{ host: a.test, headers: { a: { contains: b }, c: { prefix: d }, e: { suffix: f } } }"
        ),
        (
            .host("a.test").header("a", .greaterThan(1)).header("a", .lessThan(10.5)),
            "{ host: a.test, headers: { a: { greaterThan: 1 } }, all: [{ headers: { a: { lessThan: 10.5 } } }] }"
        ),
        (
            .host("a.test").cookie("a", .pattern("x+", ignoringCase: true)).cookie("b", .not(.present)),
            "{ host: a.test, cookies: { a: { pattern: x+, ignoreCase: true }, b: { not: { present: true } } } }"
        ),
        (
            .host("a.test").cookie("a", .absent).cookie("b", true).cookie("c", 1.5).cookie("d", ""),
            "{ host: a.test, cookies: { a: { absent: true }, b: 'true', c: 1.5, d: '' } }"
        ),
        (.host("a.test").state("a", "1").state("b", nil), "{ host: a.test, state: { a: 1, b: null } }"),
        (
            .host("a.test").json(["a": [1.50, "{{any.uuid}}"]], ignoring: ["$.x"], ignoringArrayOrder: true),
            """
            { host: a.test, body: { json: '{"a":[1.5,"{{any.uuid}}"]}', ignore: [$.x], ignoreArrayOrder: true } }
            """
        ),
        (
            .host("a.test").jsonSubset(["a": 1]).jsonPath("$.b", 1).jsonPath("$.c", .null).jsonPath("$.d"),
            """
            { host: a.test, body: { jsonSubset: '{"a":1}', jsonPath: { $.b: 1, $.c: null, $.d: { present: true } } } }
            """
        ),
        (
            .host("a.test").jsonPath("$.a", "x", count: 1, type: .string).jsonPath("$.b", type: .array)
                .jsonPath("$.c", ["x", "y"], count: 2).jsonPath("$.d", .contains("e"), count: 3),
            """
            host: a.test
            body:
              jsonPath:
                $.a: { equals: x, count: 1, type: string }
                $.b: { type: array }
                $.c: { values: [x, y], count: 2 }
                $.d: { contains: e, count: 3 }
            """
        ),
        (.host("a.test").text("a\nb"), #"{ host: a.test, body: { text: "a\nb" } }"#),
        (
            .host("a.test").text(.prefix("a")).body(pattern: "b", ignoringCase: true),
            "{ host: a.test, body: { text: { prefix: a }, pattern: { pattern: b, ignoreCase: true } } }"
        ),
        (.host("a.test").body(Data([0, 255])), "{ host: a.test, body: { base64: AP8= } }"),
        (
            .host("a.test").body(sha256: String(repeating: "a", count: 64)).text(.contains("x")),
            """
            host: a.test
            body: { sha256: \(String(repeating: "a", count: 64)) }
            all: [{ body: { text: { contains: x } } }]
            """
        ),
        (
            .host("a.test").form("a", "1").form("b", .present).otherFields(.refused),
            "{ host: a.test, body: { form: { a: 1, b: { present: true } }, otherFields: refused } }"
        ),
        (
            .host("a.test").multipart("a", "1").multipart(
                "b",
                .init(filename: .suffix(".jpg"), contentType: "image/jpeg")
            ),
            """
            host: a.test
            body: { multipart: { a: { content: 1 }, b: { filename: { suffix: .jpg }, contentType: image/jpeg } } }
            """
        ),
        (.host("a.test").graphQL("Search"), "{ host: a.test, body: { graphql: Search } }"),
        (
            .host("a.test").graphQL(.prefix("S"), variables: ["first": 10]),
            #"{ host: a.test, body: { graphql: { operation: { prefix: S }, variables: '{"first":10}' } } }"#
        ),
        (
            .get("/a").and(.any.header("b", .present)).and(.any),
            "{ method: GET, url: /a, otherQuery: allowed, all: [{ headers: { b: { present: true } } }] }"
        ),
        (
            .get("/a").or(.head("/a")).or(.host("b.test")),
            """
            urlPattern: '/.*'
            any:
              - { method: GET, url: /a, otherQuery: allowed }
              - { method: HEAD, url: /a, otherQuery: allowed }
              - { host: b.test }
            """
        ),
        (
            .get("/a").not(.any.query("b", "c")).not(.any),
            """
            { method: GET, url: /a, otherQuery: allowed, not: [{ query: { b: c } }, { urlPattern: '/.*' }] }
            """
        ),
        (.get("/a").not(.any.text("b")), "{ method: GET, url: /a, otherQuery: allowed, not: { body: { text: b } } }"),
        (.grpc("a.B/C"), "{ grpc: a.B/C }"),
        (
            .grpc("a.B/C", messages: [.any, .proto("1: 7"), .data(Data([8, 1]))]).header("x", "y"),
            "{ grpc: a.B/C, headers: { x: y }, messages: [{}, { proto: '1: 7' }, { base64: CAE= }] }"
        ),
    ]
}
