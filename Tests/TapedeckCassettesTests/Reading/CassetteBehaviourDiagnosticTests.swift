import TapedeckCassettes
import TapedeckCore
import Testing

/// Messages about an invalid variant.
@Suite
struct CassetteBehaviourDiagnosticTests {
    private static let answers = "takes, fault, empty, grpcStatus, sequence, random, when, variant, passthrough"
    private static let keys =
        "template, delay, bandwidth, dribble, merge, fuzz, sets, after, \(Self.answers), then, otherwise, urlError, "
        + "grpcMessage, grpcDetails"
    private static let faults = Fault.allCases.map(\.rawValue).joined(separator: ", ")
    private static let urlError =
        "`urlError` is a code of URLError as Swift spells it, such as notConnectedToInternet or timedOut"
    private static let builtIns = BuiltInVariant.allCases.map(\.rawValue).joined(separator: ", ")
    private static let delay = """
        `delay` is a time, such as 200ms or 2s, or one of { uniform: [100ms, 2s] }, \
        { normal: 300ms, deviation: 50ms }, { logNormal: 300ms, sigma: 0.4 } or { recorded: 1 }
        """
    private static let bandwidth =
        "`bandwidth` is a whole number and a unit, such as 50 kB/s, 64 KiB/s or 1 MB/s"

    @Test(arguments: [
        ("§takes:\n  - status: 200", "a variant needs `name`"),
        ("§name: b", "the variant \"b\" needs one of \(Self.answers)"),
        ("name: b\ntakes: §[]", "the variant \"b\" has no takes, so it has no answer"),
        ("name: b\ntakes:\n  §status: 200", "`takes` is a list: begin each item with `- `"),
        ("name: b\n§take:\n  - status: 200\nfault: timeout", "a variant has no key `take`; did you mean `takes`?"),
        ("name: b\nfault: timeout\n§times: 2", "a variant has no key `times`; it has: name, \(Self.keys)"),
        (
            "name: b\nfault: timeout\n§takes:\n  - status: 200",
            "a variant has `fault` or `takes`, not both; a take can have a fault of its own"
        ),
        ("name: b\nempty: true\n§variant: c", "a variant has `empty` or `variant`, not both"),
        ("name: b\nfault: §timeOut!", "`fault` is one of \(Self.faults); did you mean timeout?"),
        ("name: b\nfault: §broken", "`fault` is one of \(Self.faults)"),
        ("name: b\nfault: timeout\nurlError: §timedout", "\(Self.urlError); did you mean timedOut?"),
        ("name: b\nfault: timeout\nurlError: §-1001", Self.urlError),
        ("name: b\n§urlError: timedOut\nempty: true", "`urlError` goes with `fault`"),
        (
            "name: b\n§urlError: timedOut\ntakes:\n  - status: 200",
            "`urlError` goes with `fault`; a take with a fault can have one of its own"
        ),
        (
            "name: b\ntakes:\n  - status: 200\n    urlError: §timedOut",
            "`urlError` goes with a `fault`, which is what all other clients get"
        ),
        (
            "name: b\nurlError: §timedOut\nfault: malformedChunk",
            "`urlError` needs a fault without a response; with malformedChunk a part of the response comes, and then "
                + "a URLSession reports networkConnectionLost"
        ),
    ])
    func errorsInAVariantAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.variant(lines), message)
    }

    @Test(arguments: [
        ("empty: §no", "`empty` is true, which answers with 204, or a status from 200 to 999"),
        ("empty: §100", "`empty` is true, which answers with 204, or a status from 200 to 999"),
        ("passthrough: §false", "`passthrough` is true; there is no other answer here"),
        ("passthrough: §yes", "`passthrough` is true or false"),
        ("passthrough: true\n§template: true", Self.withPassthrough("template")),
        ("§merge: '{}'\npassthrough: true", Self.withPassthrough("merge")),
        ("passthrough: true\n§fuzz: { $.a: emoji }", Self.withPassthrough("fuzz")),
        ("sequence: [{ §bandwidth: 1 kB/s, passthrough: true }]", Self.withPassthrough("bandwidth")),
        ("passthrough: true\n§dribble: { pieces: 5, over: 2s }", Self.withPassthrough("dribble")),
        ("fault: §truncatedBody", Self.noStatus),
        ("sequence: [{ fault: §truncatedBody }]", Self.noStatus),
        ("fault: { name: §timeOut! }", "`name` is one of \(Self.faults); did you mean timeout?"),
        ("fault: §{ code: CANCEL }", "a fault needs a `name`, such as streamReset, beside code, after, lastStream"),
        ("fault: { name: timeout, §cod: 1 }", "a fault has no key `cod`; did you mean `code`?"),
        (
            "fault: { name: streamReset, §after: 5 }",
            "`after` does not go with streamReset; it goes with truncatedBody, resetDuringBody, stalledBody, malformedChunk"
        ),
        (
            "fault: { name: streamReset, code: §CANCELED }",
            "`code` is an error code of HTTP/2, such as CANCEL, REFUSED_STREAM or ENHANCE_YOUR_CALM, or a number; did you "
                + "mean CANCEL?"
        ),
        (
            "takes: [{ status: 200, body: { text: a }, fault: { name: resetDuringBody, after: §2 bytes } }]",
            "`after` is how much of the body comes before the fault: a number of bytes, or messages of gRPC as in "
                + "`2 messages`"
        ),
        (
            "fault: { name: goAwayRefused, lastStream: §-1 }",
            "`lastStream` is a whole number from 0 to \(Int32.max)"
        ),
        ("sequence: §[]", "`sequence` is an empty list, so it has no answer"),
        ("sequence: §x", "`sequence` is a list: begin each item with `- `"),
        ("sequence: [§{}]", "a part of `sequence` needs one of \(Self.answers)"),
        (
            "sequence: [{ fault: timeout, §name: x }]",
            "a part of `sequence` has no key `name`; it has: times, \(Self.keys)"
        ),
        ("sequence: [{ fault: timeout, times: §0 }]", "`times` is a whole number from 1 to 1000000"),
        ("sequence: [{ takes: §[] }]", "a part of `sequence` has no takes, so it has no answer"),
        ("random: §[]", "`random` is an empty list, so it has no answer"),
        ("random: [{ fault: timeout, weight: §1.5 }]", "`weight` is a whole number from 1 to 1000000"),
        ("random: [§[]]", "a choice of `random` is written as `key: value` lines"),
        ("§when: { method: GET }", "`when` needs `then`: what the variant \"b\" does if the request meets it"),
        (
            "when: §{}\nthen: offline",
            "`when` says nothing, so every request would meet it; name a part of the request"
        ),
        ("when: { method: GET }\nthen: §[]", "`then` is written as `key: value` lines"),
        ("when: { method: GET }\nthen: §{ delay: 1s }", "`then` needs one of \(Self.answers)"),
        ("fault: timeout\n§then: offline", "`then` goes with `when`"),
        ("fault: timeout\n§otherwise: offline", "`otherwise` goes with `when`"),
        ("fault: timeout\n§after: cycle", "`after` goes with `takes` or `sequence`"),
        ("sequence: [offline]\nafter: §stop", "`after` is one of repeat, cycle, unmatched and { variant: NAME }"),
        (
            "sequence: [offline]\nafter: §{ take: 1 }",
            "`after` is one of repeat, cycle, unmatched and { variant: NAME }"
        ),
        ("empty: true\ntemplate: §yes", "`template` is true or false"),
        ("empty: true\nmerge: §{ a: 1 }", "`merge` is a text; put what belongs to it behind `merge: |`, indented"),
        ("empty: true\nfuzz: §{}", "`fuzz` needs a path and what becomes of it, such as `$..name: emoji`"),
        (
            "empty: true\nfuzz: { $.a: §null }",
            "`fuzz` is one of \(JSONFuzz.allCases.map(\.rawValue).joined(separator: ", ")); did you mean nulls?"
        ),
        ("empty: true\nsets: §x", "`sets` is written as `key: value` lines"),
    ])
    func errorsInABehaviourAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.variant("name: b\n\(lines)"), message)
    }

    @Test(arguments: [
        ("delay: §2", "`delay`: `2` has no unit; write 2s or 2ms"), ("delay: §''", "`delay` is empty"),
        ("delay: §2h", "`delay` is longer than an hour; write at most 1h"),
        ("delay: §{ uniform: [1s, 2s], sigma: 1 }", Self.delay), ("delay: §{}", Self.delay), ("delay: §[]", Self.delay),
        ("delay: { uniform: §1s }", "`uniform` has two times, the shortest and the longest: [100ms, 2s]"),
        (
            "delay: { uniform: [2s, §1s] }",
            "the longest time of `uniform` is below the shortest: write [1s, …]"
        ),
        (
            "delay: { normal: 1s, deviation: §x }",
            "`deviation`: `x` is no length of time; write for example 200ms, 1.5s, 2m, 1h, 3d or 1w"
        ),
        ("delay: { logNormal: 1s, sigma: §-1 }", "`sigma` is a number from 0 to 1000, such as 1.5"),
        ("delay: { recorded: §fast }", "`recorded` is a number from 0 to 1000, such as 1.5"),
        ("bandwidth: §fast", Self.bandwidth), ("bandwidth: §0", Self.bandwidth), ("bandwidth: §[]", Self.bandwidth),
        ("bandwidth: §50 KB/s", "\(Self.bandwidth); did you mean kB/s?"), ("bandwidth: §1.5 MB/s", Self.bandwidth),
        ("dribble: §2s", "`dribble` has pieces and over: { pieces: 5, over: 2s }"),
        ("dribble: §{ pieces: 5 }", "`dribble` has pieces and over: { pieces: 5, over: 2s }"),
        ("dribble: { pieces: §0, over: 2s }", "`pieces` is a whole number from 1 to 1000000"),
        ("dribble: { pieces: 5, over: 2s, §ever: 1 }", "`dribble` has no key `ever`; did you mean `over`?"),
    ])
    func errorsInPacingAreReported(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.variant("name: b\nempty: true\n\(lines)"), message)
    }

    private static let noStatus = "a take needs a `status`, such as 200, or a `fault`"

    private static func withPassthrough(_ key: String) -> String {
        "`\(key)` goes with takes, not with `passthrough`: only `delay` and `sets` do"
    }

    @Test(arguments: [
        "passthrough: true\ndelay: 1s\nsets: { a: b }",
        "template: true\nsequence: [{ passthrough: true }, { empty: true }]",
    ])
    func delayTemplateAndSequenceAreValidWithPassthrough(_ lines: String) {
        #expect(ExpectedDiagnostic.diagnostics(CassetteText.variant("name: b\n\(lines)")).isEmpty)
    }

    // MARK: Faults

    private static let noBody = "there is no body, so the client sees a complete answer; give the take a body"
    private static let whole = """
        the head promises no more than this body, so the client cannot tell; give it a `content-length` that promises \
        more
        """

    @Test(arguments: [
        ("fault: §resetBeforeBody", Self.noBody), ("fault: §resetDuringBody", Self.noBody),
        ("takes: [{ status: 200, fault: §resetAfterBody }]", Self.noBody),
        ("takes: [{ fault: §resetDuringBody, body: { text: '' } }]", Self.noBody),
        ("takes: [{ status: 200, fault: §truncatedBody, body: { text: abc } }]", Self.whole),
        (
            "takes: [{ status: 200, fault: §truncatedBody, headers: { Content-Length: 3 }, body: { text: abc } }]",
            Self.whole
        ),
    ])
    func aFaultThatClientsCannotNoticeIsAWarning(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(CassetteText.variant("name: b\n\(lines)"), message, .warning)
    }

    @Test(arguments: [
        "fault: malformedChunk", "takes: [{ fault: resetDuringBody, body: { text: abc } }]",
        "takes: [{ status: 200, fault: truncatedBody, headers: { content-length: 4 }, body: { text: abc } }]",
        "takes: [{ status: 200, fault: truncatedBody, headers: { transfer-encoding: chunked }, body: { text: a } }]",
        "takes: [{ status: 200, fault: truncatedBody, trailers: { x: y }, body: { text: a } }]",
        "takes: [{ status: 200, fault: truncatedBody, recorded: 2026-11-21T10:00:00Z, body: { text: a } }]",
    ])
    func aFaultThatClientsNoticeIsNoWarning(_ lines: String) {
        #expect(ExpectedDiagnostic.diagnostics(CassetteText.variant("name: b\n\(lines)")).isEmpty)
    }

    private static let silent = """
        not say in `recorded` how long the answer took (\"…, answered in 120 ms\"), so there is no delay to repeat
        """

    @Test(arguments: [
        ("takes: [{ status: 200 }]", "a take here does \(Self.silent)"),
        ("takes: [{ status: 200 }, { status: 200, recorded: 2026-11-21T10:00:00Z }]", "2 takes here do \(Self.silent)"),
    ])
    func aRecordedDelayWithoutRecordedTakesIsAWarning(_ lines: String, _ message: String) throws {
        try ExpectedDiagnostic.expect(
            CassetteText.variant("name: b\n\(lines)\ndelay: §{ recorded: 1 }"),
            message,
            .warning
        )
    }

    // MARK: Names of variants

    @Test(arguments: [
        ("variant: §good2", "; did you mean \"good\"?"), ("variant: §xyz", "."),
        ("sequence: [§godo]", "; did you mean \"good\"?"),
        ("sequence: [good]\nafter: { variant: §xyz }", "."),
        ("when: { method: GET }\nthen: §of-fline", "; did you mean \"offline\"?"),
    ])
    func anUnknownVariantIsReported(_ lines: String, _ hint: String) throws {
        let name = String(
            lines[lines.startIndex...].drop { $0 != "§" }.dropFirst().prefix { $0.isLetter || $0 == "2" || $0 == "-" }
        )
        let variants =
            "variants:\n  - name: good\n    fault: timeout\n  - name: b\n    \(lines.replacing("\n", with: "\n    "))"
        try ExpectedDiagnostic.expect(
            CassetteText.sets("name: s\nrequest: { url: / }\n\(variants)"),
            "the response set \"s\" has no variant \"\(name)\"\(hint) It has: good, b; and every set has: "
                + Self.builtIns
        )
    }

    @Test(arguments: [("god", "; did you mean \"good\"?"), ("ofline", "; did you mean \"offline\"?")])
    func theSelectedVariantIsOneOfTheSet(_ name: String, _ hint: String) throws {
        try ExpectedDiagnostic.expect(
            CassetteText.sets(
                "name: s\nselected: §\(name)\nrequest: { url: / }\nvariants: [{ name: good, fault: timeout }]"
            ),
            "the response set \"s\" has no variant \"\(name)\"\(hint) It has: good; and every set has: "
                + Self.builtIns
        )
    }

    @Test(arguments: [
        ("variant: §b", "\"b\", then \"b\""), ("random: [{ sequence: [§b] }]", "\"b\", then \"b\""),
        ("sequence: [c]\nafter: { variant: §b }", "\"b\", then \"b\""), ("variant: d", "\"b\", then \"d\", then \"b\""),
    ])
    func aCycleOfVariantsIsReported(_ lines: String, _ way: String) throws {
        let mark = lines.contains("§") ? "" : "§"
        let variants = """
            variants:
              - name: b
                \(lines.replacing("\n", with: "\n    "))
              - name: c
                fault: timeout
              - name: d
                sequence: [c, \(mark)b]
            """
        try ExpectedDiagnostic.expect(
            CassetteText.sets("name: s\nrequest: { url: / }\n\(variants)"),
            "this leads in a circle: \(way); let one of them answer by itself"
        )
    }

    @Test func aVariantMayBeReferencedSeveralTimesWithoutACycle() {
        let variants = "[{ name: a, sequence: [b, c, b] }, { name: b, variant: c }, { name: c, fault: timeout }]"
        let text = CassetteText.sets("name: s\nrequest: { url: / }\nvariants: \(variants)")
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }

    // MARK: Templates

    @Test(arguments: [
        (
            "body: { text: 'by {{§url.ownr}}' }",
            "`url.ownr` names no capture ownr; the URL has: owner, name; did you mean `url.owner`?"
        ),
        (
            "body: { json: '{\"a\": {{§url.9}}}' }",
            "`url.9` names no capture 9; the URL has: owner, name; did you mean `url.1`?"
        ),
        (
            "headers: { X: 'a {{§urll.owner}}' }",
            "in this template no value is called `urll.owner`; did you mean `url.owner`?"
        ),
        ("trailers:\n      - X: '{{§later}}'", "in this template no value is called `later`"),
    ])
    func anUnknownValueInATemplateIsReported(_ lines: String, _ message: String) throws {
        let take = "takes:\n      - status: 200\n        \(lines.replacing("\n", with: "\n  "))"
        for whole in [
            "template: true\n    \(take)", "\(take)\n    template: true",
            "template: true\n    sequence:\n      - \(take.replacing("\n", with: "\n    "))",
            "sequence:\n      - template: true\n        \(take.replacing("\n", with: "\n    "))",
        ] {
            let request = "request: { urlTemplate: '/{owner}/{name}' }"
            try ExpectedDiagnostic.expect(
                CassetteText.sets("name: s\n\(request)\nvariants:\n  - name: b\n    \(whole)"),
                message
            )
        }
    }

    @Test func anInvalidTemplateIsReportedAtItsPlace() throws {
        let take = "status: 200\n    body:\n      text: |\n        one\n        two §{{#a}}"
        let text = CassetteText.variant("name: b\ntemplate: true\ntakes:\n  - \(take)")
        try ExpectedDiagnostic.expect(text, beginning: "this is no template: ")
    }

    // MARK: Recorded URLs

    @Test(arguments: [
        ("urlPattern: §https://a\\.test/user/.*", "https://a.test/users/1"),
        ("urlTemplate: §/users/{id}", "https://a.test/users/1/repos"),
        ("urlTemplate: §https://a.test/users?page={page}", "https://a.test/users?per=1"),
        ("urlPattern: §/users", "https://a.test/users?page=1"),
    ])
    func aPatternThatCannotMatchItsTakesURLIsAWarning(_ line: String, _ url: String) throws {
        let take = "{ status: 200, request: { url: '\(url)' } }"
        try ExpectedDiagnostic.expect(
            CassetteText.sets("name: s\nrequest:\n  \(line)\nvariants: [{ name: b, takes: [\(take), \(take)] }]"),
            "this pattern can never match the URL its take was recorded from, \(url)",
            .warning
        )
    }

    private static func recorded(_ name: String, _ line: String) -> String {
        let take = "{ status: 200, recorded: 2026-11-21T10:00:00Z }"
        return CassetteText.sets(
            "name: \(name)\nrequest:\n  \(line)\nvariants: [{ name: b, takes: [\(take), \(take)] }]"
        )
    }

    @Test(arguments: [
        ("GET a.test/users/1", "urlTemplate: §https://a.test/user/{id}", "a.test/users/1"),
        ("GET a.test:81/users/1 (2)", "urlTemplate: §http://a.test/users/{id}", "a.test:81/users/1"),
        ("GET a.test/users?page=1", #"urlPattern: §/users\?page=[a-z]+"#, "a.test/users?page=1"),
        ("GET a.test/users", #"urlPattern: §https://a\.test/user/.*"#, "a.test/users"),
    ])
    func aPatternThatCannotMatchTheURLInItsSetsNameIsAWarning(
        _ name: String,
        _ line: String,
        _ place: String
    ) throws {
        try ExpectedDiagnostic.expect(
            Self.recorded(name, line),
            "this pattern can never match the URL that the set is named after, \(place)",
            .warning
        )
    }

    @Test(arguments: [
        ("GET a.test/users/1", "urlTemplate: http://a.test/users/{id}"), ("people", "urlTemplate: /users/{id}"),
        ("GET a.test:81/users/1 (2)", "urlTemplate: http://a.test:81/users/{id}"),
        ("GET a.test/é", "urlTemplate: /%C3%A9"), ("GET /users/1", "urlTemplate: /user/{id}"),
        // The name may leave out the query.
        ("GET a.test/users", "urlTemplate: /users?page={page}"), ("GET a.test/users", #"urlPattern: /users\?p=\d+"#),
        ("GET a.test/users", "urlPattern: /users.+"), ("see a.test/users here", "urlTemplate: /user"),
    ])
    func aPatternThatMatchesItsSetsNameIsNoWarning(_ name: String, _ line: String) {
        #expect(ExpectedDiagnostic.diagnostics(Self.recorded(name, line)).isEmpty)
    }

    /// Such a name may be a person's own.
    @Test func theNameOfAManualSetIsNotComparedWithItsPattern() {
        let text = Self.recorded("GET a.test/users/1", "urlTemplate: /x")
        #expect(ExpectedDiagnostic.diagnostics(text.replacing(", recorded: 2026-11-21T10:00:00Z", with: "")).isEmpty)
    }

    @Test(arguments: [
        ("urlPattern: https://a\\.test/users/\\d+", "HTTPS://A.test:443/users/%31"),
        ("urlTemplate: /users/{id}", "https://a.test/users/1?page=2"),
        ("urlTemplate: https://a.test", "https://a.test/users"), ("urlPattern: /users", "https://a.test/users?ts=12"),
        ("urlPattern: /users\\?b=1", "https://a.test/users?ts=12&b=1"), ("url: /x", "https://a.test/users"),
    ])
    func aPatternThatMatchesItsTakesURLIsNoWarning(_ line: String, _ url: String) {
        let take = "{ status: 200, request: { url: '\(url)' } }"
        let sets = CassetteText.sets(
            "name: s\nrequest:\n  \(line)\nvariants: [{ name: b, takes: [\(take)] }]"
        )
        let text = sets.replacing("tapedeck: 1\n", with: "tapedeck: 1\nignore: { query: [ts] }\n")
        #expect(ExpectedDiagnostic.diagnostics(text).isEmpty)
    }
}
