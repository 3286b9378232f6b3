import Foundation
import Testing

/// Other conditions of a response set: method, query, headers, cookies, and all of them combined.
@Suite(.ownThreads) struct RequestMatchingTests {
    /// Asks with curl arguments, and expects the name of the set that answers, or `501`.
    private static func expect(
        _ cassette: String,
        _ requests: [(arguments: [String], answer: String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let played = try PlayedCassette(cassette)
        for (arguments, answer) in requests {
            let found = try played.ask(arguments)
            #expect(found == answer, "\(arguments)", sourceLocation: sourceLocation)
        }
        try played.stop()
    }

    private static let url = "http://a.example/x"

    @Test func `a set answers one method, several, or any`() throws {
        let cassette = PlayedCassette.naming(
            ("one", "{ method: PUT, url: \(Self.url) }"),
            ("several", "{ method: [POST, PATCH], url: \(Self.url) }"),
            ("any", "{ method: any, url: http://a.example/any }")
        )
        try Self.expect(
            cassette,
            [
                (["-X", "PUT", Self.url], "one"), (["-X", "PATCH", Self.url], "several"), ([Self.url], "501"),
                (["-X", "PURGE", "http://a.example/any"], "any"),
            ]
        )
    }

    @Test func `query parameters match by value, pattern, presence and number`() throws {
        func set(_ name: String, _ query: String) -> (name: String, request: String) {
            (name, "{ url: http://a.example/\(name), query: \(query) }")
        }
        let cassette = PlayedCassette.naming(
            set("equal", "{ q: 'a b' }"),
            set("pattern", "{ page: { pattern: '^[0-9]+$' } }"),
            set("present", "{ token: { present: true }, debug: { absent: true } }"),
            set("several", "{ tag: [one, two] }"),
            set("number", "{ n: { greaterThan: 9, lessThan: 100 } }"),
            set("oneOf", "{ sort: { oneOf: [name, date] } }"),
            set("negative", "{ sort: { not: { prefix: na } } }")
        )
        let base = "http://a.example/"
        try Self.expect(
            cassette,
            [
                ([base + "equal?q=a%20b"], "equal"), ([base + "equal?q=a"], "501"),
                ([base + "pattern?page=12"], "pattern"), ([base + "pattern?page=last"], "501"),
                ([base + "present?token=t"], "present"), ([base + "present?token=t&debug=1"], "501"),
                ([base + "several?tag=one&tag=two"], "several"), ([base + "several?tag=one"], "501"),
                ([base + "number?n=10"], "number"), ([base + "number?n=1e2"], "501"),
                ([base + "oneOf?sort=date"], "oneOf"), ([base + "oneOf?sort=size"], "501"),
                ([base + "negative?sort=date"], "negative"), ([base + "negative?sort=name"], "501"),
            ]
        )
    }

    @Test func `other query parameters are refused with an exact URL and allowed with a template, by default`()
        throws
    {
        let cassette = PlayedCassette.naming(
            ("strict", "{ url: http://a.example/strict, query: { a: '1' } }"),
            ("open", "{ url: 'http://a.example/open?a=1', otherQuery: allowed }"),
            ("template", "{ urlTemplate: 'http://a.example/t/{id}', query: { a: '1' } }"),
            ("closed", "{ urlTemplate: 'http://a.example/c/{id}', query: { a: '1' }, otherQuery: refused }")
        )
        let base = "http://a.example/"
        try Self.expect(
            cassette,
            [
                ([base + "strict?a=1"], "strict"), ([base + "strict?a=1&b=2"], "501"),
                ([base + "open?b=2&a=1"], "open"), ([base + "open?b=2"], "501"),
                ([base + "t/7?a=1&b=2"], "template"), ([base + "t/7"], "501"),
                ([base + "c/7?a=1"], "closed"), ([base + "c/7?a=1&b=2"], "501"),
            ]
        )
    }

    @Test func `headers match in any case, and text by beginning, end, part and pattern`()
        throws
    {
        func set(_ name: String, _ header: String) -> (name: String, request: String) {
            (name, "{ url: http://a.example/\(name), headers: { X-Value: \(header) } }")
        }
        let cassette = PlayedCassette.naming(
            set("equals", "one"),
            set("contains", "{ contains: mid }"),
            set("prefix", "{ prefix: be }"),
            set("suffix", "{ suffix: nd }"),
            set("pattern", "{ pattern: '^V[0-9]$', ignoreCase: true }"),
            set("absent", "{ absent: true }")
        )
        let base = "http://a.example/"
        func asking(_ name: String, _ value: String, _ answer: String) -> (arguments: [String], answer: String) {
            (["-H", "x-VALUE: \(value)", base + name], answer)
        }
        try Self.expect(
            cassette,
            [
                asking("equals", "one", "equals"), asking("equals", "two", "501"),
                asking("contains", "a mid b", "contains"), asking("contains", "a b", "501"),
                asking("prefix", "begin", "prefix"), asking("prefix", "a begin", "501"),
                asking("suffix", "the end", "suffix"), asking("suffix", "the end.", "501"),
                asking("pattern", "v7", "pattern"), asking("pattern", "v77", "501"),
                ([base + "absent"], "absent"), asking("absent", "there", "501"),
            ]
        )
    }

    @Test func `a cookie tells two people apart`() throws {
        let cassette = PlayedCassette.naming(
            ("ada", "{ url: \(Self.url), cookies: { user: ada } }"),
            ("somebody", "{ url: \(Self.url), cookies: { user: { present: true } }, not: { cookies: { user: ada } } }"),
            ("nobody", "{ url: \(Self.url), cookies: { user: { absent: true } } }")
        )
        try Self.expect(
            cassette,
            [
                (["-b", "theme=dark; user=ada", Self.url], "ada"), (["-b", "user=bob", Self.url], "somebody"),
                (["-b", "theme=dark", Self.url], "nobody"),
            ]
        )
    }

    @Test func `conditions are put together with all, any and not`() throws {
        let cassette = PlayedCassette.naming(
            (
                "put together",
                """
                {
                      url: http://a.example/x, otherQuery: allowed,
                      all: [{ headers: { X-One: { present: true } } }, { query: { q: { contains: s } } }],
                      any: [{ method: GET }, { headers: { X-Really: 'yes' } }],
                      not: { query: { q: { suffix: '!' } } } }
                """
            )
        )
        let url = "http://a.example/x?q=swift"
        let one = ["-H", "X-One: 1"]
        try Self.expect(
            cassette,
            [
                (one + [url], "put together"), ([url], "501"), (one + [Self.url + "?q=zig"], "501"),
                (one + ["-X", "DELETE", url], "501"),
                (one + ["-X", "DELETE", "-H", "X-Really: yes", url], "put together"), (one + [url + "!"], "501"),
            ]
        )
    }

    @Test func `a set for everything on a host but some paths leaves those to others`() throws {
        let cassette = PlayedCassette.naming(
            ("all but health", "{ host: a.example, not: [{ url: /health }, { urlTemplate: '/static/{+file}' }] }"),
            ("everything", "{ hostPattern: '.*' }")
        )
        let base = "http://a.example/"
        try Self.expect(
            cassette,
            [
                ([base + "users"], "all but health"), ([base + "health"], "everything"),
                ([base + "static/a/b.css"], "everything"),
            ]
        )
    }
}
