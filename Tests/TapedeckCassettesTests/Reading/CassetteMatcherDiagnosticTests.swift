import TapedeckCassettes
import TapedeckCore
import Testing

/// Messages about an invalid request matcher.
@Suite
struct CassetteMatcherDiagnosticTests {
    private static let keys = """
        method, url, urlTemplate, urlPattern, grpc, host, hostPattern, query, ignoreQueryNameCase, otherQuery, headers, cookies, body, \
        messages, state, all, any, not
        """
    private static let url =
        "`url` is a whole URL, such as https://api.example.com/users, or path and query of any host, such as /users"
    private static let host =
        "`host` is the name of a host, such as api.example.com, api.example.com:8443 or *.example.com"
    private static let asciiHost = "the host of a URL is written in ASCII: in the form that begins with xn--"

    private static func control(_ key: String) -> String {
        "`\(key)` holds a line break or another control character, which no URL has"
    }

    private static func unclosed(_ number: Int) -> String {
        "`urlTemplate` is no template: an opening brace without a closing one at character \(number)"
    }

    private static func null(_ what: String) -> String {
        "`\(what)` is null: write `{ absent: true }` for what must not be there, or \"\" for an empty value"
    }

    private static let conditions = """
        equals, values, ignoreOrder, oneOf, contains, prefix, suffix, pattern, ignoreCase, greaterThan, lessThan, present, \
        absent, not
        """

    @Test(arguments: [
        ("§method: GET", "request needs one of url, urlTemplate, urlPattern, grpc, host, hostPattern"),
        ("url: §ftp://a.test/", Self.url), ("url: §//a.test/", Self.url), ("url: §users", Self.url),
        ("url: §https://user:secret@a.test/", Self.url), ("url: §[]", "`url` is a text"),
        ("url: /\n§urL: x", "request has no key `urL`; did you mean `url`?"),
        ("url: /\n§xyzzy: x", "request has no key `xyzzy`; it has: \(Self.keys)"),
        ("url: /\n§urlPattern: /x", "request has one of url, urlTemplate, urlPattern and grpc"),
        ("urlTemplate: /x\n§url: /x", "request has one of url, urlTemplate, urlPattern and grpc"),
        ("urlTemplate: §a.test/{id}", "`urlTemplate` begins with https://, http:// or /"),
        ("urlTemplate: /a/§{id", "`urlTemplate` is no template: an opening brace without a closing one at character 4"),
        (
            "urlTemplate: '/é/{a}/{§a}'",
            "`urlTemplate` is no template: the name \"a\" is used twice, at character 9"
        ),
        (
            "§urlTemplate: '/a?b={c}'\notherQuery: allowed",
            "the query of a template is complete, so it cannot have `otherQuery: allowed`; write its "
                + "parameters as `query`"
        ),
        ("urlPattern: /x§(", "`urlPattern` is no regular expression: missing closing parenthesis at character 3"),
        (
            "urlPattern: { pattern: /x§( }",
            "`pattern` is no regular expression: missing closing parenthesis at character 3"
        ),
        ("urlPattern: §{ ignoreCase: true }", "`urlPattern` needs `pattern`"),
        (
            "urlPattern: { pattern: /x, §ignorecase: true }",
            "`urlPattern` has no key `ignorecase`; did you mean `ignoreCase`?"
        ),
        ("urlPattern: { pattern: /x, ignoreCase: §yes }", "`ignoreCase` is true or false"),
        ("url: §\"/a\\nb\"", Self.control("url")), ("url: '/a§\tb'", Self.control("url")),
        ("urlTemplate: §\"/a\\x7F/{b}\"", Self.control("urlTemplate")),
        ("urlTemplate: §https://é.test/{a}", Self.asciiHost), ("urlTemplate: §https://a b.test", Self.asciiHost),
        ("url: §https://é.test/a", Self.url), ("urlTemplate: '/é b/{a}/§{c'", Self.unclosed(10)),
        ("host: §https://a.test", Self.host), ("host: [a.test, §a b]", Self.host), ("host: §'*'", Self.host),
        ("host: §[]", "`host` is an empty list"), ("host: §{}", "`host` is a text"),
        ("host: a.test\n§hostPattern: a", "request has one of host and hostPattern"),
        ("url: https://a.test/\n§host: a.test", "`host` goes with a URL that begins with `/`"),
        ("urlTemplate: https://a.test/\n§hostPattern: a.test", "`hostPattern` goes with a URL that begins with `/`"),
        ("urlPattern: https://a.test/.*\n§host: a.test", "`host` goes with a URL that begins with `/`"),
    ])
    func errorsInTheURLAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.request(lines), message)
    }

    private static let nothing =
        "this pattern can match nothing: it is compared with the whole URL, such as https://api.example.com/users, or, "
        + "if it begins with /, with path and query"

    @Test(arguments: [
        (#"urlPattern: '/a§ b'"#, "URLs have no spaces; write %20"),
        (#"urlPattern: '/a\§ b'"#, "URLs have no spaces; write %20"),
        (#"urlPattern: { pattern: '/[^é]+/§é' }"#, "URLs have no \"é\"; write %C3%A9"),
        ("urlPattern: §users/.*", Self.nothing), ("urlPattern: §api\\.example\\.com/.*", Self.nothing),
        (
            "url: /\nmethod: §get",
            "methods are case-sensitive (RFC 9110 section 9.1): clients do not send get"
        ),
        (
            "url: /\nmethod: [GET, §Put]",
            "methods are case-sensitive (RFC 9110 section 9.1): clients do not send Put"
        ),
    ])
    func aConditionThatMatchesNothingIsAWarning(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.request(lines), message, .warning)
    }

    @Test(arguments: [
        "https?://a.test/x", "http.*", "^/x", "\\/x", ".*", "(?i)USERS", "[a-z]+://x", "https://a", "/[^ é]+",
        "/a(?# é b)", "(?x) /a b", #"/a\x20\s"#,
    ])
    func aPatternThatMayMatchIsNoWarning(_ pattern: String) {
        #expect(ExpectedDiagnostic.diagnostics(CassetteText.request("urlPattern: '\(pattern)'")).isEmpty)
    }

    @Test(arguments: [
        ("method: §{}", "`method` is a text"), ("method: §''", "`method` is empty"),
        ("method: §[]", "`method` is an empty list; leave it out for any method"),
        ("method: §GET, POST", "\"GET, POST\" is no method; write several as a list, [GET, POST]"),
        ("query: { q: §null }", Self.null("query q")), ("query:\n  q:§", Self.null("query q")),
        ("headers: { a: §~ }", Self.null("headers a")), ("cookies: { a: §null }", Self.null("cookies a")),
        ("any: [{ query: { q: §null } }]", Self.null("query q")),
        ("query: §q=swift", "query is written as `key: value` lines"),
        ("query:\n  q: §{}", "`query q` has no condition; write a value, or some of \(Self.conditions)"),
        ("query:\n  q: §[]", "`query q` is an empty list; write { absent: true } for what must not be there"),
        ("query:\n  q: [§{}]", "`query q` is a text"),
        ("otherQuery: §refuse", "`otherQuery` is one of allowed, refused; did you mean refused?"),
        ("headers: { §two words: x }", "\"two words\" is no header name"),
        ("headers: { a: { §prefx: x } }", "`headers a` has no key `prefx`; did you mean `prefix`?"),
        ("headers: { a: { §xyzzy: x } }", "`headers a` has no key `xyzzy`; it has: \(Self.conditions)"),
        ("headers: { a: { contains: §[] } }", "`contains` is a text"),
        ("headers: { a: { prefix: §'' } }", "`prefix` is empty"),
        ("headers: { a: { oneOf: §{} } }", "`oneOf` is a list: begin each item with `- `"),
        ("headers: { a: { oneOf: §[] } }", "`oneOf` is an empty list"),
        (
            "headers: { a: { pattern: 'a§(' } }",
            "`pattern` is no regular expression: missing closing parenthesis at character 2"
        ),
        ("headers: { a: { prefix: x, ignoreCase: §true } }", "`ignoreCase` goes with `pattern`"),
        ("headers: { a: { greaterThan: §many } }", "`greaterThan` is a number"),
        ("headers: { a: { present: §maybe } }", "`present` is true or false"),
        ("cookies: §[]", "cookies is written as `key: value` lines"),
        ("state: §x", "`state` is written as `key: value` lines"), ("state: { a: §[] }", "`a` is a text"),
        ("all: §{ method: GET }", "`all` is a list: begin each item with `- `"),
        ("any: [§x]", "`any` is written as `key: value` lines"),
        ("not: { §methods: GET }", "`not` has no key `methods`; did you mean `method`?"),
        ("not: §{}", "`not` says nothing, so every request would meet it; name a part of the request"),
        ("any: [§{ query: {} }]", "`any` says nothing, so every request would meet it; name a part of the request"),
    ])
    func errorsInOtherConditionsAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.request("url: /\n\(lines)"), message)
    }

    @Test func aParameterInBothURLAndQueryIsAnError() throws {
        try ExpectedDiagnostic.expect(
            CassetteText.request("url: /?q=1\notherQuery: allowed\nquery: §{ q: { prefix: x } }"),
            "both `url` and `query` have q; write it in `query` alone"
        )
    }

    // MARK: Bodies

    private static let bodyKeys =
        "text, pattern, json, jsonSubset, jsonPath, xml, form, multipart, graphql, base64, sha256"
    private static let placeholders = JSONExpectation.placeholders.joined(separator: ", ")

    @Test(arguments: [
        ("§text", "the body of a request is written as `key: value` lines"),
        ("§{}", "`body` needs one of \(Self.bodyKeys)"),
        ("{ §txt: a, text: a }", "the body of a request has no key `txt`; did you mean `text`?"),
        ("{ text: §[a] }", "`text` is a text; put what belongs to it behind `text: |`, indented"),
        ("{ base64: §a-_b }", "this is no base64"), ("{ sha256: §abc }", "`sha256` is 64 hexadecimal digits"),
        (
            "{ text: a, sha256: §\(String(repeating: "0", count: 64)) }",
            "a condition on a body's digest cannot be combined with others"
        ),
        ("{ text: a, §layout: compact }", "`layout` goes with `json` only"),
        ("{ text: a, §ignore: [$.a] }", "`ignore` goes with `json` or `xml` only"),
        ("{ text: a, §otherFields: refused }", "`otherFields` goes with `form` only"),
        ("{ §otherFields: refused }", "`otherFields` goes with `form` only"),
        ("{ §ignore: [$.a] }", "`ignore` goes with `json` or `xml` only"),
        ("{ form: { a: §null } }", Self.null("form a")),
        ("{ json: '1', layout: §wide }", "`layout` is one of compact, compact-line, spaced, spaced-line"),
        ("{ json: '1', ignore: §{} }", "`ignore` is a list: begin each item with `- `"),
        ("{ json: '1', ignore: §[] }", "`ignore` is an empty list"),
        ("{ json: §[1] }", "`json` is a text; put what belongs to it behind `json: |`, indented"),
        ("{ pattern: 'a§(' }", "`pattern` is no regular expression: missing closing parenthesis at character 2"),
        ("{ jsonPath: §{} }", "`jsonPath` needs a path, such as `$.user.id: 7`"),
        ("{ jsonPath: { $.a: { count: §-1 } } }", "`count` is a whole number from 0"),
        (
            "{ jsonPath: { $.a: { type: §text } } }",
            "`type` is one of null, boolean, number, string, array, object"
        ),
        ("{ jsonPath: { $.a: { §typ: text } } }", "`jsonPath $.a` has no key `typ`; did you mean `type`?"),
        (
            "{ jsonPath: { $.a: §{} } }",
            "`jsonPath $.a` has no condition; write a value, or some of \(Self.conditions), count, type"
        ),
        ("{ form: §a }", "form is written as `key: value` lines"),
        ("{ form: {}, otherFields: §none }", "`otherFields` is one of allowed, refused"),
        ("{ multipart: §[] }", "multipart is written as `key: value` lines"),
        (
            "{ multipart: { a: { content: x, §fileName: y } } }",
            "`multipart a` has no key `fileName`; did you mean `filename`?"
        ),
        ("{ graphql: §{} }", "`graphql` is the name of an operation, or has operation or variables"),
        ("{ graphql: { §operations: x } }", "`graphql` has no key `operations`; did you mean `operation`?"),
        (
            "{ jsonSubset: '[\"§{{any.uid}}\"]' }",
            "there is no placeholder {{any.uid}}; did you mean {{any.uuid}}? It is one of: \(Self.placeholders)"
        ),
        (
            "\n    json: |\n      {\n        \"a\": \"x-§{{any.thingumajig}}\"\n      }",
            "there is no placeholder {{any.thingumajig}}. It is one of: \(Self.placeholders)"
        ),
    ])
    func errorsInBodyConditionsAreReported(_ body: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.request("url: /\nbody: \(body)"), message)
    }

    /// The JSON reader explains the error; this one gives its place.
    @Test(arguments: [
        ("json: '[1, 2§'", "`json` is no JSON: "), ("json: |\n    {\n      \"a\": §x\n    }", "`json` is no JSON: "),
        ("json: |\n\n    [\"é\",\n    \"é\", §x]", "`json` is no JSON: "),
        ("jsonSubset: '§'", "`jsonSubset` is no JSON: "),
        ("json: §\"\\\"\\n\\\"\"", "`json` is no JSON: "), ("json: §>\n    [1,\n    x]", "`json` is no JSON: "),
        ("graphql: { variables: '{§x}' }", "`variables` is no JSON: "),
        ("jsonPath: { '$.a§ b': 1 }", "this is no JSONPath, such as $.items[0].name: "),
        ("jsonPath: { §a.b: 1 }", "this is no JSONPath, such as $.items[0].name: "),
        ("json: '1'\n  ignore: [$.a, §x]", "this is no JSONPath, such as $.items[0].name: "),
    ])
    func anErrorInJSONIsReportedAtItsPlace(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.request("url: /\nbody:\n  \(lines)"), beginning: message)
    }
}
