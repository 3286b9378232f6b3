import Testing

@testable import TapedeckCore

/// The answers of variants, as the report of a run counts them.
@Suite struct VariantCountTests {
    private static let url = "https://example.com/a"

    private func tape(_ variants: [Variant], selected: String? = nil, body: BodyMatcher? = nil) throws -> Tape {
        var set = try Samples.set("a", "GET", Self.url, body: body)
        set.variants = variants
        set.selected = selected
        var cassette = Samples.cassette([set])
        cassette.path = "a.yaml"
        return Tape([cassette])
    }

    private func state(_ tape: Tape) -> SessionState {
        SessionState(name: "s", mode: .replay, tape: tape, seed: 1)
    }

    private func variant(_ name: String, _ answer: Behaviour.Answer? = nil) -> Variant {
        Variant(name: name, behaviour: Behaviour(answer ?? .takes([Take()])))
    }

    private func ask(_ state: inout SessionState, times: Int = 1, body: String? = nil) throws {
        let request = try Samples.matchRequest("GET", Self.url, body: body)
        for _ in 0..<times { _ = state.answer(request) }
    }

    private func counts(_ state: SessionState) -> [String: Int]? { state.usage.first?.sets.first?.variants }

    @Test(arguments: [nil, "x"])
    func `the default variant and a selected one are counted`(body: String?) throws {
        let variants = [self.variant("one"), self.variant("two"), self.variant("three")]
        var state = self.state(try self.tape(variants, selected: "two", body: body.map(Samples.text)))
        #expect(self.counts(state) == [:])
        try self.ask(&state, times: 3, body: body)
        try state.select("one", of: "a")
        try self.ask(&state, body: body)
        try state.select("two", of: "a")
        try self.ask(&state, body: body)
        #expect(self.counts(state) == ["two": 4, "one": 1])
        #expect(state.usage.first?.sets.first?.asked == 5)
    }

    @Test func `a built-in variant counts for itself, and one that modifies an answer counts in addition`() throws {
        var state = self.state(try self.tape([self.variant("one")]))
        try state.apply(profile: "server-error")
        try self.ask(&state, times: 2)
        state.revert(profile: "server-error")
        try state.apply(profile: "slow")
        try self.ask(&state)
        #expect(self.counts(state) == ["server-error": 2, "slow": 1, "one": 1])
    }

    @Test func `a flaky answer counts for the variant or for offline`() throws {
        var state = self.state(try self.tape([self.variant("one")]))
        try state.apply(profile: "flaky")
        try self.ask(&state, times: 100)
        let counts = try #require(self.counts(state))
        #expect(counts["flaky"] == 100)
        #expect((counts["one"] ?? 0) + (counts["offline"] ?? 0) == 100)
        #expect(counts.values.allSatisfy { $0 > 0 })
    }

    @Test func `a variant that another one passes on to counts, too`() throws {
        let parts = [Behaviour(.variant("two")), Behaviour(.variant("offline"))]
        let variants = [self.variant("one", .sequence(parts)), self.variant("two"), self.variant("three")]
        var state = self.state(try self.tape(variants))
        try self.ask(&state, times: 3)
        #expect(self.counts(state) == ["one": 3, "two": 1, "offline": 2])
    }

    @Test func `unanswered requests do not count`() throws {
        let once = Variant(name: "once", behaviour: Behaviour(.takes([Take()]), after: .unmatched))
        var state = self.state(try self.tape([once, self.variant("live", .passthrough)]))
        try self.ask(&state, times: 3)
        try state.select("live", of: "a")
        try self.ask(&state)
        #expect(self.counts(state) == ["once": 1])
        #expect(state.usage.first?.sets.first?.asked == 4)
    }

    @Test func `an edited cassette keeps the counts, also with another default`() throws {
        var state = self.state(try self.tape([self.variant("one"), self.variant("two")]))
        try self.ask(&state, times: 2)
        try state.select("two", of: "a")
        try self.ask(&state)
        let edited = try self.tape([self.variant("one"), self.variant("two"), self.variant("new")], selected: "two")
        _ = state.replaceTape(edited)
        #expect(self.counts(state) == ["one": 2, "two": 1])
        try state.reset("a")
        try self.ask(&state)
        #expect(self.counts(state) == ["one": 2, "two": 2])
    }
}
