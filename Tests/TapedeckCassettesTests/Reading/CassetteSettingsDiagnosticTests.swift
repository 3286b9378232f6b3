import TapedeckCassettes
import TapedeckCore
import Testing

/// Messages about invalid settings of a whole cassette or set.
@Suite
struct CassetteSettingsDiagnosticTests {
    private static let builtIns = BuiltInVariant.allCases.map(\.rawValue).joined(separator: ", ")

    private static let noURL =
        "`match` needs at least `path`, `origin` or `url`; otherwise every request would be answered"
    private static let varies =
        "`$.a` is one of number, word, hex, text, order, or a text with one of them in angle brackets, such as "
        + "`took <number> s`"
    private static let priority =
        "`priority` is a whole number from -1000000 to 1000000; sets with a higher one are asked first"

    @Test(arguments: [
        ("match: §{}", "`match` is a list: begin each item with `- `"),
        ("match: §[]", "`match` is an empty list; leave it out for the usual: [method, url, body]"),
        (
            "match: [method, §header]",
            "`match` is one of method, url, origin, path, query, headers, body; did you mean headers?"
        ),
        ("match: [url, body, §body]", "`match` already has body"),
        ("match: §[method, body]", Self.noURL), ("match: §[query]", Self.noURL), ("match: §[headers]", Self.noURL),
        ("match: [origin, §query]", "`query` counts only together with `path`"),
        ("match: [url, §path]", "path is a part of url, which `match` already has"),
        ("match: [query, §url]", "url has query in it, which `match` already has: leave out one of them"),
        ("ignore: §[]", "`ignore` is written as `key: value` lines"),
        ("ignore: { §header: [a] }", "`ignore` has no key `header`; did you mean `headers`?"),
        ("ignore: { query: §{} }", "`query` is a list: begin each item with `- `"),
        ("ignore: { headers: §[] }", "`headers` is an empty list"),
        ("ignore: { query: [§{}] }", "`query` is a text"),
        ("time: §now", "`time` is `shift`, or has `shift: true` and `json` with paths of dates"),
        ("time: { §shifts: true }", "`time` has no key `shifts`; did you mean `shift`?"),
        ("time: { shift: §yes }", "`shift` is true or false"),
        ("time: { json: §{} }", "`json` is a list: begin each item with `- `"),
        ("delay: §5", "`delay`: `5` has no unit; write 5s or 5ms"),
        (
            "streams: §slow", "`streams`: \"slow\" is none of instant, recorded and a multiple of it such as 0.5x"
        ),
        ("streams: §[]", "`streams` is instant, recorded or a multiple of it such as 0.5x"),
        ("maxAge: §30", "`maxAge`: `30` has no unit; write 30s or 30ms"),
        ("maxAge: §0", "`maxAge` is 0, and every take is older than that; leave `maxAge` out, or write 30d"),
        (
            "maxAge: §{ then: fail }",
            "`maxAge` says after how long: write `maxAge: 30d`, or `maxAge: { after: 30d, then: fail }`"
        ),
        ("maxAge: { after: 1d, then: §die }", "`then` is one of warn, fail"),
        ("maxAge: { §afer: 1d, after: 1d }", "`maxAge` has no key `afer`; did you mean `after`?"),
        ("state: §[]", "`state` is written as `key: value` lines"),
        ("state: { a: §null }", "`a` has no value; leave the line out for a key that is not set at first"),
        ("state:\n  a:§", "`a` has no value; leave the line out for a key that is not set at first"),
        ("profiles: §[]", "`profiles` is written as `key: value` lines"),
        ("profiles: { p: §x }", "the profile \"p\" is written as `key: value` lines"),
        ("profiles:\n  p:§", "the profile \"p\" selects nothing; write lines such as `\"*\": offline`"),
        ("profiles: { p: { good set: §[] } }", "`good set` is a text"),
        (
            "profiles: { p: { §god set: fine } }", "there is no response set \"god set\"; did you mean \"good set\"?"
        ),
        (
            "profiles: { p: { §https://a.test/x: fine } }",
            "there is no response set \"https://a.test/x\"; write the name of a set, an origin such as "
                + "https://api.example.com, or \"*\""
        ),
        (
            "profiles: { p: { good set: §fin } }",
            "the response set \"good set\" has no variant \"fin\"; did you mean \"fine\"? It has: fine; "
                + "and every set has: \(Self.builtIns)"
        ),
        (
            "profiles: { p: { '*': §fin } }",
            "no response set has a variant \"fin\"; did you mean \"fine\"? Every set has: \(Self.builtIns)"
        ),
        (
            "profiles: { p: { https://b.test: §xyz } }",
            "no response set has a variant \"xyz\". Every set has: \(Self.builtIns)"
        ),
        (
            "profiles: { p: { https://b.test: fine, §'https://b.test:443/': fine } }",
            "the profile \"p\" already selects a variant for https://b.test:443/"
        ),
    ])
    func errorsAtTheTopLevelAreReported(_ lines: String, _ message: String) throws {
        let set = CassetteText.sets("name: good set\nrequest: { url: / }\nvariants: [{ name: fine, fault: timeout }]")
        try ExpectedDiagnostic.expect(set.replacing("tapedeck: 1\n", with: "tapedeck: 1\n\(lines)\n"), message)
    }

    private static let noLatency = """
        no take here says in `recorded` how long the answer took ("…, answered in 120 ms"), so there is no delay to \
        repeat
        """

    @Test(arguments: ["{ status: 200 }", "{ status: 200, recorded: 2026-11-21T10:00:00Z }"])
    func aRecordedDelayWithoutARecordedLatencyIsAWarning(_ take: String) throws {
        let set = CassetteText.sets("name: s\nrequest: { url: / }\nvariants: [{ name: a, takes: [\(take)] }]")
        try ExpectedDiagnostic.expect(
            set.replacing("tapedeck: 1\n", with: "tapedeck: 1\ndelay: §{ recorded: 1 }\n"),
            Self.noLatency,
            .warning
        )
    }

    @Test func aRecordedDelayWithOneRecordedLatencyIsNoWarning() {
        let takes = "[{ status: 200 }, { status: 200, recorded: '2026-11-21T10:00:00Z, answered in 5 ms' }]"
        let set = CassetteText.sets("name: s\nrequest: { url: / }\nvariants: [{ name: a, takes: \(takes) }]")
        let text = set.replacing("tapedeck: 1\n", with: "tapedeck: 1\ndelay: { recorded: 1 }\n")
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }

    @Test(arguments: ["yesterday", "2026-11-21", "2026-11-21T10:00:00", "'answered in 120 ms'"])
    func anInvalidTimeOfRecordingIsAWarning(_ text: String) throws {
        try ExpectedDiagnostic.expect(
            CassetteText.take("status: 200\nrecorded: §\(text)"),
            "`recorded` does not begin with a time such as 2026-11-21T10:00:00Z, so the take has no age and its dates "
                + "do not move",
            .warning
        )
    }

    @Test(arguments: [
        (
            "status: 200\npieces: §events\nbody: { text: a }",
            "nothing says when the pieces go out; write `pieces: { cut: events, every: 200ms }`, or end `recorded` with "
                + "\"in pieces after 0, 200 ms\""
        ),
        (
            "status: 200\npieces: §{ cut: [1], every: 1s }\nbody: { text: ab, encoding: gzip }",
            "this body goes out in a content coding, so it is not cut into pieces"
        ),
        (
            "status: 200\nheaders: { content-encoding: br }\npieces: §{ cut: [1], every: 1s }\nbody: { text: ab }",
            "this body goes out in a content coding, so it is not cut into pieces"
        ),
    ])
    func piecesWithoutEffectAreAWarning(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.take(lines), message, .warning)
    }

    /// A part that could not be read may be the one that a profile names.
    @Test func anInvalidSetIsNotReportedAgainAtAProfile() {
        let set = CassetteText.sets("name: a\nrequest: { url: nonsense }\nvariants: [{ name: fine, fault: timeout }]")
        let found = ExpectedDiagnostic.diagnostics(set + "profiles: { p: { a: fine, '*': fine } }\n")
        #expect(found.count == 1)
    }

    @Test(arguments: [
        ("varies: { $.a: §nmber }", Self.varies + "; did you mean number?"),
        ("varies: { $.a: §<number> of <number> }", Self.varies), ("varies: { $.a: §[] }", "`$.a` is an empty list"),
        (
            "varies: { §host: text }",
            "`host` is no place of a request; write path, body, query NAME, header NAME, form NAME, part NAME, $.a.b or "
                + "/a/b, as reports name it"
        ),
        ("varies: §text", "`varies` is written as `key: value` lines"),
        ("priority: §high", Self.priority), ("priority: §1000001", Self.priority),
        ("priority: §-1000001", Self.priority),
        ("requires: §x", "`requires` is written as `key: value` lines"), ("sets: { a: §[] }", "`a` is a text"),
        ("selected: §[]", "`selected` is a text"),
        ("§require: {}", "a response set has no key `require`; did you mean `requires`?"),
    ])
    func errorsInASetAreReported(_ lines: String, _ message: String) throws {
        let set = "name: a\nrequest: { url: / }\nvariants: [{ name: fine, fault: timeout }]"
        try ExpectedDiagnostic.expect(CassetteText.sets("\(set)\n\(lines)"), message)
    }

    @Test(arguments: [
        ("status: 200\nrequest: { url: §/x }", "`url` is a whole URL, such as https://api.example.com/users"),
        ("§status: 200\nfault: hang", "with the fault hang there is no response, so no `status`"),
    ])
    func errorsInATakeAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.take(lines), message)
    }
}
