import TapedeckCassettes
import TapedeckCore
import Testing

/// Messages about an invalid cassette. A `§` marks the place of the message.
@Suite
struct CassetteDiagnosticTests {
    private func expect(
        _ marked: String,
        _ message: String,
        _ severity: Diagnostic.Severity = .error,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try ExpectedDiagnostic.expect(marked, message, severity, sourceLocation)
    }

    private static let setKeys = "name, priority, request, varies, requires, sets, selected, variants"
    private static let topKeys =
        "tapedeck, about, match, ignore, redact, secrets, time, delay, streams, state, maxAge, descriptors, "
        + "values, responseSets, profiles"

    @Test(arguments: [
        ("§", "the file is empty; a cassette begins with `tapedeck: 1`"),
        ("§- a\n", "a cassette is written as `key: value` lines"),
        ("§hello\n", "a cassette is written as `key: value` lines"),
        (
            "# comment\n§responseSets: []\n",
            "a cassette says which format it is written in: begin it with `tapedeck: 1`"
        ),
        ("tapedeck: §one\n", "`tapedeck` is the number of the format: write `tapedeck: 1`"),
        ("tapedeck: §0\n", "`tapedeck` is the number of the format: write `tapedeck: 1`"),
        ("tapedeck: §1.0\n", "`tapedeck` is the number of the format: write `tapedeck: 1`"),
        (
            "tapedeck: §2\nresponseSets: nonsense\nunknown: 1\n",
            "this cassette is written in format 2, and this Tapedeck reads formats up to 1: use a newer Tapedeck"
        ),
        ("tapedeck: 1\n§responseSet: []\n", "a cassette has no key `responseSet`; did you mean `responseSets`?"),
        ("tapedeck: 1\n§x: []\n", "a cassette has no key `x`; it has: \(Self.topKeys)"),
        ("tapedeck: 1\nabout: §[]\n", "`about` is a text"), ("tapedeck: 1\nabout: §''\n", "`about` is empty"),
        ("tapedeck: 1\nresponseSets:\n  §a: b\n", "`responseSets` is a list: begin each item with `- `"),
        ("tapedeck: 1\nresponseSets:\n  - §text\n", "a response set is written as `key: value` lines"),
    ])
    func errorsAtTheTopLevelAreReported(_ text: String, _ message: String) throws {
        try self.expect(text, message)
    }

    @Test(arguments: [
        (
            "tapedeck: 1\nabout: §\"open\n",
            "this quote is not closed: end the text with \", and indent its further lines"
        ),
        ("tapedeck: 1\nresponseSets: §[\n", "this '[' is not closed: add the missing ']'"),
        ("tapedeck: 1\n§\tabout: x\n", "a tab cannot indent a line: use spaces"),
        ("tapedeck: 1\ntapedeck§:1\n", "a space is missing after this ':': write 'key: value'"),
    ])
    func errorsInTheYAMLAreReported(_ text: String, _ message: String) throws {
        try self.expect(text, message)
        let result = CassetteReader.read(Array(text.replacing("§", with: "").utf8), name: "", path: "")
        #expect(result.document == nil)
        #expect(result.hasErrors)
    }

    @Test(arguments: [
        (
            "§request:\n  url: https://a.test/\nvariants:\n  - name: b\n    fault: timeout",
            "a response set needs `name`"
        ),
        ("name:§\nrequest:\n  url: https://a.test/\nvariants:\n  - name: b\n    fault: timeout", "`name` is empty"),
        ("§name: a\nvariants:\n  - name: b\n    fault: timeout", "the response set \"a\" needs `request`"),
        ("§name: a\nrequest:\n  url: https://a.test/", "the response set \"a\" needs `variants`"),
        (
            "name: a\nrequest:\n  url: https://a.test/\nvariants: §[]",
            "the response set \"a\" has no variants, so it has no answer"
        ),
        (
            "name: a\nrequest:\n  url: https://a.test/\nvariants:\n  §b: c",
            "`variants` is a list: begin each item with `- `"
        ),
        (
            "name: a\nrequest:\n  url: https://a.test/\n§variant: []\nvariants:\n  - name: b\n    fault: timeout",
            "a response set has no key `variant`; did you mean `variants`?"
        ),
        (
            "name: a\nrequest: {url: 'http://a'}\nvariants:\n- {name: b, fault: timeout}\n- §{name: b, fault: timeout}",
            "the variant \"b\" comes twice in the response set \"a\""
        ),
    ])
    func errorsInASetAreReported(_ lines: String, _ message: String) throws {
        try self.expect(CassetteText.sets(lines), message)
    }

    @Test(arguments: [
        ("§text", "a take is written as `key: value` lines"),
        ("§headers: []", "a take needs a `status`, such as 200, a `grpcStatus`, or a `fault`"),
        ("§fault: truncatedBody", "a take needs a `status`, such as 200, or a `fault`"),
        ("§status: 200\nfault: timeout", "with the fault timeout there is no response, so no `status`"),
        ("status: §199", "`status` is a number from 200 to 999; 1xx responses go under `interim`"),
        ("status: §1000", "`status` is a number from 200 to 999; 1xx responses go under `interim`"),
        ("status: §OK", "`status` is a number from 200 to 999; 1xx responses go under `interim`"),
        ("status: §'200'", "`status` is a number from 200 to 999; 1xx responses go under `interim`"),
        ("status:§", "`status` is a number from 200 to 999; 1xx responses go under `interim`"),
        ("status: 200\n§stauts: 200", "a take has no key `stauts`; did you mean `status`?"),
        ("status: 200\nreason: §[]", "`reason` is a text"), ("status: 200\nrecorded: §''", "`recorded` is empty"),
        ("status: 200\nendsAtClose: §yes", "`endsAtClose` is true or false"),
        (
            "status: 200\ntimes: §0",
            "`times` is the number of requests in a row that the take answers, from 1 to 1000000"
        ),
        (
            "status: 200\ntimes: §often",
            "`times` is the number of requests in a row that the take answers, from 1 to 1000000"
        ),
        (
            "status: 200\npieces: §event",
            "`pieces` is events, messages, or the sizes of the pieces in bytes, such as [24, 24]"
        ),
        ("status: 200\npieces: [1, §0]", "the size of a piece is a number of bytes, at least 1"),
        (
            "status: 200\npieces: §{ cut: events }",
            "`pieces` with a pace has cut and every: { cut: events, every: 200ms }"
        ),
        ("status: 200\npieces: { cut: events, every: §5 }", "`every`: `5` has no unit; write 5s or 5ms"),
        ("status: 200\nheaders: §text", "`headers` is a list of `- name: value`"),
        ("status: 200\nheaders:\n  - §text", "each of headers is written as `key: value` lines"),
        ("status: 200\nheaders:\n  - §two words: x", "\"two words\" is no header name"),
        ("status: 200\nheaders:\n  - §é: x", "\"é\" is no header name"),
        ("status: 200\nheaders:\n  - A: §{}", "`A` is a text"),
        (
            "status: 200\nheaders:\n  - A: §\"b\\nC: d\"",
            "the value of A holds a line break or another control character"
        ),
        ("status: 200\ntrailers:\n  - A: §\"\\0\"", "the value of A holds a line break or another control character"),
        ("status: 200\ninterim:\n  - §headers: []", "an interim response needs `status`"),
        ("status: 200\ninterim:\n  - status: §200", "the status of an interim response is a number from 102 to 199"),
        (
            "status: 200\ninterim:\n  - status: 103\n    §body: x",
            "an interim response has no key `body`; it has: status, reason, headers"
        ),
        ("status: 200\nrequest: §x", "what was sent is written as `key: value` lines"),
        ("status: 200\nrequest:\n  §header: {}", "what was sent has no key `header`; did you mean `headers`?"),
    ])
    func errorsInATakeAreReported(_ lines: String, _ message: String) throws {
        try self.expect(CassetteText.take(lines), message)
    }

    @Test(arguments: [
        ("body: §hello", "a body is written as `key: value` lines"),
        ("body:\n  §encoding: gzip", "a body has one of text, json, base64 and file"),
        ("body:\n  text: a\n  §json: '[]'", "a body has one of text, json, base64 and file"),
        ("body:\n  §txt: a\n  text: a", "a body has no key `txt`; did you mean `text`?"),
        ("body:\n  §text: a\n  layout: compact", "`layout` goes with `json` only"),
        ("body:\n  json: '[]'\n  layout: §wide", "`layout` is one of compact, compact-line, spaced, spaced-line"),
        ("body:\n  text: a\n  encoding: §bz2", "`encoding` is one of gzip, deflate, br, zstd"),
        ("body:\n  text: §[a]", "`text` is a text; put what belongs to it behind `text: |`, indented"),
        ("body:\n  json: §{a: 1}", "`json` is a text; put what belongs to it behind `json: |`, indented"),
        ("body:\n  base64: §a-_b", "this is no base64"),
        ("body:\n  file: §../secret", "`file` names a file beside the cassette or in a folder beside it, without .."),
        ("body:\n  file: §a/../../b", "`file` names a file beside the cassette or in a folder beside it, without .."),
        ("body:\n  file: §/etc/passwd", "`file` names a file beside the cassette or in a folder beside it, without .."),
        ("body:\n  file: §''", "`file` names a file beside the cassette or in a folder beside it, without .."),
        (
            "body:\n  file: §test/a.png",
            "the body file test/a.png is missing: put it back beside the cassette, or record again"
        ),
    ])
    func errorsInABodyAreReported(_ lines: String, _ message: String) throws {
        try self.expect(CassetteText.take("status: 200\n\(lines)"), message)
    }

    private static let set = "request:\n  url: https://a.test/\nvariants:\n  - name: b\n    fault: timeout"

    @Test func aDuplicateSetNameIsReportedWithTheLineOfTheFirst() throws {
        let other = Self.set.replacing("a.test/", with: "a.test/other")
        try self.expect(
            CassetteText.sets("name: a\n\(Self.set)", "name: §a\n\(other)"),
            "the response set \"a\" is already defined in line 3; give each set a name of its own"
        )
    }

    @Test func aSetThatNeverAnswersIsAWarning() throws {
        let spelled = Self.set.replacing("https://a.test/", with: "HTTPS://a.test:443")
        try self.expect(
            CassetteText.sets("name: a\n\(Self.set)", "§name: b\n\(spelled)"),
            "this set never answers: \"a\" answers the same requests and comes first",
            .warning
        )
    }

    @Test func setsWithDifferentConditionsAreNoDuplicates() {
        let conditions = ["text: a", "text: b", "json: '[1]'", "sha256: \(String(repeating: "0", count: 64))"]
        let sets = conditions.enumerated().map { number, body in
            "name: \(number)\n" + Self.set.replacing("a.test/", with: "a.test/\n  body: { \(body) }")
        }
        let text = "tapedeck: 1\nresponseSets:\n" + sets.map { "  - \($0.replacing("\n", with: "\n    "))\n" }.joined()
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }

    @Test(arguments: ["priority: 1", "requires: { a: b }"])
    func aSetWithADifferentPriorityOrStateIsNoDuplicate(_ line: String) {
        let text = CassetteText.sets("name: a\n\(Self.set)\n\(line)", "name: b\n\(Self.set)")
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }

    @Test(arguments: ["takes: [{ status: 200 }]\n    after: unmatched", "when: { method: GET }\n    then: offline"])
    func aSetBehindOneThatMayDeclineIsNoDuplicate(_ answer: String) {
        let declining = Self.set.replacing("fault: timeout", with: answer)
        let text = CassetteText.sets("name: a\n\(declining)", "name: b\n\(Self.set)")
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }

    @Test func equivalentJSONIsTheSameCondition() throws {
        func set(_ json: String) -> String {
            Self.set.replacing("a.test/", with: "a.test/\n  body: { json: '\(json)' }")
        }
        try self.expect(
            CassetteText.sets("name: a\n\(set("{\"a\":1,\"b\":2}"))", "§name: b\n\(set("{\"b\": 2.0, \"a\": 1}"))"),
            "this set never answers: \"a\" answers the same requests and comes first",
            .warning
        )
    }

    @Test func problemsAreReportedInTheOrderOfTheFile() {
        let text = CassetteText.sets(
            "name: a\nselected: x\nrequest:\n  url: nonsense\n  method: 1 2\nvariants: [{ name: b }]",
            "name: b\nselected: x\nrequest:\n  url: /\nvariants: [{ name: c, variant: y }]\nlast: 1"
        )
        let lines = ExpectedDiagnostic.diagnostics(text).map(\.line)
        #expect(lines == [6, 7, 8, 10, 13, 14])
    }

    /// Large cassettes are read in parts at the same time.
    @Test func aLargeCassetteIsReadAsASmallOneIs() {
        func item(_ number: Int, name: String? = nil, url: Int? = nil) -> String {
            "  - name: \(name ?? "set \(number)")\n    request: { url: https://a.test/\(url ?? number) }\n"
                + "    variants: [{ name: b, takes: [{ status: 200 }] }]\n"
        }
        let count = 4_000
        let items = (0..<count).map { number in
            switch number {
            case 700: item(number).replacing("200", with: "99")
            case 1_900: item(number, name: "set 3")
            case 2_500: item(number, url: 10)
            case 3_999: item(number).replacing("takes", with: "tokes")
            default: item(number)
            }
        }
        let text = "tapedeck: 1\nresponseSets:\n" + items.joined()
        let result = CassetteReader.read(Array(text.utf8), name: "test", path: "tapes/test.yaml")
        #expect(
            result.cassette.responseSets.map(\.name)
                == (0..<count - 1).map { $0 == 1_900 ? "set 3" : "set \($0)" }
        )
        let lines = result.diagnostics.map(\.line)
        #expect(lines == [700 * 3 + 5, 1_900 * 3 + 3, 2_500 * 3 + 3, 3_999 * 3 + 5, 3_999 * 3 + 5])
        #expect(result.diagnostics.map(\.severity) == [.error, .error, .warning, .error, .error])
        let earlier = result.diagnostics.dropFirst().prefix(2).map(\.message)
        #expect(earlier.first?.contains("already defined in line \(3 * 3 + 3);") == true)
        #expect(earlier.last?.contains("\"set 10\" answers the same requests") == true)
    }

    @Test func allProblemsAreReportedAtOnce() {
        let text = CassetteText.take("status: 7\nheader: {}\nbody: { text: a, encoding: lzw }")
        #expect(ExpectedDiagnostic.diagnostics(text).count == 3)
    }

    @Test func aDiagnosticHasTheFormatOfACompilerDiagnostic() {
        let problem = Diagnostic(severity: .warning, path: "a.yaml", line: 3, column: 7, message: "m")
        #expect(problem.description == "a.yaml:3:7: warning: m")
        #expect(Diagnostic(severity: .error, path: "a.yaml", message: "m").description == "a.yaml: error: m")
        #expect(CassetteError([problem, problem]).description == "a.yaml:3:7: warning: m\na.yaml:3:7: warning: m")
        #expect(CassetteError(path: "b", "gone").description == "b: error: gone")
    }

    @Test func columnsCountCharacters() throws {
        try self.expect(
            CassetteText.take("status: 200\nheaders: { Ä: x }").replacing("Ä", with: "§Ä"),
            "\"Ä\" is no header name"
        )
        let rest = "request: {url: 'https://a.test/'}, variants: [{name: a, fault: timeout}]"
        let text = "tapedeck: 1\nabout: é\nresponseSets:\n  - {name: é, §x: 1, \(rest)}\n"
        try self.expect(text, "a response set has no key `x`; it has: \(Self.setKeys)")
    }
}
