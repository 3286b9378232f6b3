import TapedeckCassettes
import TapedeckCore
import Testing

/// The behaviours of a variant, as a person may write them.
@Suite
struct CassetteBehaviourTests {
    private func behaviour(_ lines: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws -> Behaviour {
        let set = """
            name: a
            request:
              urlTemplate: /{owner}
            variants:
              - name: b
                \(lines.replacing("\n", with: "\n    "))
              - name: c
                fault: timeout
            """
        let result = CassetteReader.read(Array(CassetteText.sets(set).utf8), name: "test", path: "test.yaml")
        try #require(result.diagnostics.isEmpty, "\(result.diagnostics)", sourceLocation: sourceLocation)
        return try #require(result.cassette.responseSets.first, sourceLocation: sourceLocation).variants[0].behaviour
    }

    private static let timeout = Behaviour(.takes([Take(fault: .timeout)]))

    @Test(
        arguments: [
            ("fault: timeout", .takes([Take(fault: .timeout)])), ("empty: true", .takes([Take(status: 204)])),
            ("empty: 200", .takes([Take(status: 200)])),
            ("takes: [{ status: 201 }, { status: 202 }]", .takes([Take(status: 201), Take(status: 202)])),
            ("variant: c", .variant("c")), ("variant: slow", .variant("slow")), ("passthrough: true", .passthrough),
            (
                "sequence:\n  - c\n  - fault: timeout\n    times: 3\n  - sequence: [offline]",
                .sequence([
                    Behaviour(.variant("c")), Behaviour(.takes([Take(fault: .timeout)]), times: 3),
                    Behaviour(.sequence([Behaviour(.variant("offline"))])),
                ])
            ),
            (
                "random:\n  - c\n  - fault: timeout\n    weight: 3",
                .random([
                    Behaviour.Weighted(weight: 1, Behaviour(.variant("c"))),
                    Behaviour.Weighted(weight: 3, Self.timeout),
                ])
            ),
            (
                "when: { method: GET }\nthen: c\notherwise:\n  fault: timeout",
                .conditional(
                    when: RequestMatcher(methods: ["GET"]),
                    then: Behaviour(.variant("c")),
                    otherwise: Self.timeout
                )
            ),
            (
                "when: { state: { a: null } }\nthen: { passthrough: true }",
                .conditional(
                    when: RequestMatcher(state: [StateEntry("a", nil)]),
                    then: Behaviour(.passthrough),
                    otherwise: nil
                )
            ),
        ] as [(String, Behaviour.Answer)]
    )
    func aVariantAnswersInOneWay(_ lines: String, _ answer: Behaviour.Answer) throws {
        #expect(try self.behaviour(lines) == Behaviour(answer))
    }

    @Test(
        arguments: [
            ("repeat", .repeatLast), ("cycle", .cycle), ("unmatched", .unmatched), ("{ variant: c }", .variant("c")),
        ] as [(String, Behaviour.AfterLast)]
    )
    func theBehaviourAfterTheLastTakeIsRead(_ text: String, _ after: Behaviour.AfterLast) throws {
        let takes = try self.behaviour("takes: [{ status: 200 }]\nafter: \(text)")
        #expect(takes == Behaviour(.takes([Take()]), after: after))
        let sequence = try self.behaviour("sequence: [c]\nafter: \(text)")
        #expect(sequence == Behaviour(.sequence([Behaviour(.variant("c"))]), after: after))
    }

    @Test(
        arguments: [
            ("0", .fixed(0)), ("2s", .fixed(2_000)), ("1h", .fixed(3_600_000)),
            ("{ uniform: [100ms, 2s] }", .uniform(from: 100, to: 2_000)),
            ("{ normal: 300ms, deviation: 50ms }", .normal(mean: 300, deviation: 50)),
            ("{ sigma: 0.4, logNormal: 1s }", .logNormal(median: 1_000, sigma: 0.4)),
        ] as [(String, Pacing.Delay)]
    )
    func anAnswerMayHaveADelay(_ text: String, _ delay: Pacing.Delay) throws {
        #expect(try self.behaviour("fault: timeout\ndelay: \(text)").pacing == Pacing(delay: delay))
    }

    @Test func anAnswerMayHaveItsRecordedDelay() throws {
        let take = "takes: [{ status: 200, recorded: '2026-11-21T10:00:00Z, answered in 120 ms' }]"
        #expect(try self.behaviour("\(take)\ndelay: { recorded: 1.5 }").pacing.delay == .recorded(factor: 1.5))
        #expect(try self.behaviour("fault: timeout\ndelay: { recorded: 2 }").pacing.delay == .recorded(factor: 2))
    }

    @Test(arguments: [
        ("50 kB/s", 50_000), ("64 KiB/s", 65_536), ("1 MB/s", 1_000_000), ("2MiB/s", 2 << 20), ("7", 7), ("9 B/s", 9),
        ("1 GB/s", 1_000_000_000), ("1 GiB/s", 1 << 30),
    ])
    func anAnswerMayComeSlowly(_ text: String, _ bytes: Int) throws {
        #expect(try self.behaviour("empty: 200\nbandwidth: \(text)").pacing == Pacing(bandwidth: bytes))
    }

    @Test func anAnswerMayComeInPieces() throws {
        let dribble = Pacing.Dribble(pieces: 5, milliseconds: 2_000)
        #expect(try self.behaviour("empty: 200\ndribble: { pieces: 5, over: 2s }").pacing == Pacing(dribble: dribble))
    }

    @Test func bodiesAreChangedAndStateIsSet() throws {
        let lines = "merge: '{\"a\":null}'\nsets: { a: 1, b: null }"
        let behaviour = try self.behaviour("fuzz:\n  $.a: nulls\n  $..b: emoji\n\(lines)\nvariant: c")
        let patch = JSONValue.object([JSONMember(name: "a", value: .null)])
        #expect(
            behaviour.changes == [
                .merge(patch), .fuzz(.nulls, at: try JSONPath("$.a")), .fuzz(.emoji, at: try JSONPath("$..b")),
            ]
        )
        #expect(behaviour.sets == [StateEntry("a", "1"), StateEntry("b", nil)])
    }

    @Test func aTemplateMayUseTheURLsCaptures() throws {
        let body = "body: { json: '{\"n\": {{json.n}}, \"owner\": \"{{url.owner}} {{url.1}}\"}' }"
        let header = "headers: { X: '{{request.method}}' }"
        let behaviour = try self.behaviour("template: true\ntakes: [{ status: 200, \(header), \(body) }]")
        #expect(behaviour.isTemplate)
        #expect(try !self.behaviour("template: false\nempty: 200").isTemplate)
        // A text that is not a template may contain braces.
        #expect(try !self.behaviour("takes: [{ status: 200, body: { text: '{{#x' } }]").isTemplate)
    }
}
