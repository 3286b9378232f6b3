import TapedeckCassettes
import TapedeckCore
import Testing

/// `redact:` and `secrets:` of a cassette.
@Suite struct CassetteRedactionTests {
    private static func read(_ text: String) -> CassetteReader.Result {
        CassetteReader.read(Array("tapedeck: 1\n\(text)\nresponseSets: []\n".utf8), name: "api", path: "api.yaml")
    }

    private static let settings = """
        redact:
          off: [authorization]
          on: [pii]
          rules:
            - header: X-Tenant
              name: tenant
            - json: $.login.pin
              id: authorization
            - query: k
            - form: pin
            - pattern: 'cust-([0-9]+)'
              ignoreCase: true
            - environment: API_TOKEN
        secrets:
          access_token: { shape: jwt }
          api_key: { environment: GITHUB_TOKEN }
          plain: {}
        """

    @Test("All settings are read, and written unchanged")
    func whole() throws {
        let result = Self.read(Self.settings)
        #expect(result.diagnostics.isEmpty)
        let cassette = result.cassette
        #expect(cassette.redaction.off == ["authorization"])
        #expect(cassette.redaction.on == ["pii"])
        #expect(
            cassette.redaction.rules == [
                RedactionRule(name: "tenant", place: .header("X-Tenant")),
                RedactionRule(id: "authorization", place: .json(try JSONPath("$.login.pin"))),
                RedactionRule(place: .query("k")), RedactionRule(place: .form("pin")),
                RedactionRule(place: .pattern(try Pattern("cust-([0-9]+)", scope: .anywhere, ignoresCase: true))),
                RedactionRule(place: .environment("API_TOKEN")),
            ]
        )
        #expect(
            cassette.secrets == [
                SecretDescription(name: "access_token", shape: "jwt"),
                SecretDescription(name: "api_key", environment: "GITHUB_TOKEN"), SecretDescription(name: "plain"),
            ]
        )
        let text = String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self)
        let again = Self.read(Self.settings).cassette
        #expect(CassetteReader.read(Array(text.utf8), name: "api", path: "api.yaml").cassette == again)
        #expect(text.hasPrefix("tapedeck: 1\n\(Self.settings)\n"))
    }

    @Test("`redact: off` turns every built-in rule off, and is written unchanged")
    func off() {
        let cassette = Self.read("redact: off").cassette
        #expect(!cassette.redaction.off.isEmpty)
        #expect(cassette.redaction.rules.isEmpty)
        #expect(String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self).contains("\nredact: off\n"))
    }

    @Test(arguments: [
        ("redact: §[]", "`redact` is written as `key: value` lines"),
        ("redact: { §of: [] }", "`redact` has no key `of`; did you mean `off`?"),
        (
            "redact: { off: [§authorisation] }",
            "no redaction rule \"authorisation\" is built in; did you mean authorization?"
        ),
        ("redact: { off: [authorization, §authorization] }", "`off` already has authorization"),
        ("redact: { off: §[] }", "`off` is an empty list"),
        ("redact: { on: [§cookies] }", "cookies is on unless `off` has it; `on` is for pii"),
        ("redact: { on: [§pi] }", "no redaction rule \"pi\" is built in; did you mean pii?"),
        ("redact: { rules: §[] }", "`rules` is an empty list"),
        (
            "redact: { rules: [§{ name: x }] }",
            "a redaction rule says where the secret is: it has one of header, query, form, json, pattern, environment"
        ),
        (
            "redact: { rules: [{ header: X, §query: y }] }",
            "a redaction rule has one place; write a rule of its own for `query`"
        ),
        ("redact: { rules: [{ §headers: X }] }", "a redaction rule has no key `headers`; did you mean `header`?"),
        ("redact: { rules: [{ json: §a.b }] }", "this is no JSONPath, such as $.items[0].name: "),
        ("redact: { rules: [{ pattern: §'a(' }] }", "`pattern` is no regular expression: "),
        ("redact: { rules: [{ header: X, ignoreCase: §true }] }", "`ignoreCase` goes with `pattern`"),
        (
            "redact: { rules: [{ header: X, name: §'a b' }] }",
            "\"a b\" cannot be the name of a secret: it is made of letters, digits, `_` and `-`, and has at most 64 of them"
        ),
        (
            "redact: { rules: [{ environment: §$TOKEN }] }",
            "`environment` is the name of an environment variable, such as GITHUB_TOKEN"
        ),
        ("secrets: §[]", "`secrets` is written as `key: value` lines"),
        (
            "secrets: { §a.b: { shape: jwt } }",
            "\"a.b\" cannot be the name of a secret: it is made of letters, digits, `_` and `-`, and has at most 64 of them"
        ),
        (
            "secrets: { a: §s3cr3t }",
            "`a` is `{ shape: … }` or `{ environment: VARIABLE }`; the value of a secret does not belong here"
        ),
        (
            "secrets: { a: { §value: s3cr3t } }",
            "a secret has no key `value`; it has: shape, header, claims, environment"
        ),
    ])
    func mistakes(_ marked: String, _ message: String) throws {
        let text = marked.replacing("§", with: "")
        let found = Self.read(text).diagnostics
        let column = try #require(marked.firstIndex(of: "§")).utf16Offset(in: marked) + 1
        // A problem in a text is reported at its place there, after a quotation mark.
        let first = try #require(found.first { $0.line == 2 && ($0.column ?? 0) >= column })
        #expect(first.message.hasPrefix(message))
        #expect(first.severity == .error)
    }
}
