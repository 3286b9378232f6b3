import Testing

@testable import TapedeckCore

@Suite
struct BehaviourTests {
    private static let url = "https://example.com/a"

    private func state(
        _ variants: [Variant],
        selected: String? = nil,
        mode: Mode = .replay,
        seed: UInt64 = 1,
        allowsPassthrough: Bool = false
    ) throws -> SessionState {
        var set = try Samples.set("a", "GET", Self.url)
        set.variants = variants
        set.selected = selected
        return SessionState(
            name: "s",
            mode: mode,
            tape: Tape([Samples.cassette([set])]),
            seed: seed,
            allowsPassthrough: allowsPassthrough
        )
    }

    private func takes(_ statuses: Int..., after: Behaviour.AfterLast = .repeatLast) -> Behaviour {
        Behaviour(.takes(statuses.map { Take(status: $0) }), after: after)
    }

    /// Returns the result of one request: a status, a fault, `live`, or the reason for a miss.
    private func ask(_ state: inout SessionState, headers: [HeaderField] = []) throws -> String {
        switch state.answer(try Samples.matchRequest("GET", Self.url, headers: headers)) {
        case .decided(.play(let play)):
            let take = play.tape.takes[play.take]
            return take.isFaultAlone ? take.fault?.rawValue ?? "" : "\(take.status)"
        case .decided(.forward): return "live"
        case .decided(.reject): return "rejected"
        case .decided(.hold): return "held"
        case .miss(.usedUp(_, let variant)): return "used up: \(variant)"
        case .miss(.passthrough): return "not allowed"
        case .miss(.noAnswer): return "no answer"
        case .miss(.otherFields): return "other fields"
        case .miss(.noMatch), .mayHideSecrets: return "no match"
        case .miss(.otherAnswer): return "other answer"
        case .miss(.cutOff): return "cut off"
        }
    }

    private func ask(_ state: inout SessionState, times: Int) throws -> String {
        try (0..<times).map { _ in try self.ask(&state) }.joined(separator: " ")
    }

    // MARK: Takes

    @Test func afterTheLastTakeTheFirstComesAgainInACycle() throws {
        var state = try self.state([Variant(name: "v", behaviour: self.takes(201, 202, after: .cycle))])
        #expect(try self.ask(&state, times: 5) == "201 202 201 202 201")
    }

    @Test func takesCanBeUsedUp() throws {
        var state = try self.state([Variant(name: "v", behaviour: self.takes(201, 202, after: .unmatched))])
        #expect(try self.ask(&state, times: 3) == "201 202 used up: v")
        #expect(state.playedCount == 2)
    }

    @Test func whenTakesAreUsedUpTheNextSetAnswers() throws {
        let first = ResponseSet(
            name: "first",
            request: RequestMatcher(method: "GET", url: try Samples.url(Self.url)),
            variants: [Variant(name: "v", behaviour: self.takes(201, after: .unmatched))]
        )
        let second = Samples.set("second", RequestMatcher(url: try Samples.pattern("https://.*")), statuses: [299])
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette([second, first])]))
        #expect(try self.ask(&state, times: 3) == "201 299 299")
    }

    @Test func anotherVariantCanGoOn() throws {
        var state = try self.state([
            Variant(name: "pending", behaviour: self.takes(202, 202, after: .variant("done"))),
            Variant(name: "done", behaviour: self.takes(200, 304)),
        ])
        #expect(try self.ask(&state, times: 5) == "202 202 200 304 304")
    }

    // MARK: Made of others

    @Test func aSequenceGoesThroughItsParts() throws {
        var twice = self.takes(503)
        twice.times = 2
        let sequence = Behaviour(.sequence([twice, self.takes(201, 202), Behaviour(.variant("ok"))]))
        var state = try self.state([
            Variant(name: "v", behaviour: sequence), Variant(name: "ok", behaviour: self.takes(200)),
        ])
        #expect(try self.ask(&state, times: 7) == "503 503 201 202 200 200 200")
    }

    @Test func aSequenceInACycleBeginsItsPartsAnew() throws {
        let sequence = Behaviour(.sequence([self.takes(201, 202), self.takes(203)]), after: .cycle)
        var state = try self.state([Variant(name: "v", behaviour: sequence)])
        #expect(try self.ask(&state, times: 7) == "201 202 203 201 202 203 201")
    }

    @Test func aSequenceInASequencePlaysAllItsParts() throws {
        let inner = Behaviour(.sequence([self.takes(1), self.takes(2, 3)]))
        var state = try self.state([Variant(name: "v", behaviour: Behaviour(.sequence([inner, self.takes(9)])))])
        #expect(try self.ask(&state, times: 5) == "1 2 3 9 9")
    }

    @Test(arguments: ["random", "draws", "", "0"])
    func theNameOfAVariantDoesNotMatter(_ name: String) throws {
        var takes = self.takes(1, 2, 3)
        takes.isTemplate = true
        var state = try self.state([Variant(name: name, behaviour: takes)])
        #expect(try self.ask(&state, times: 3) == "1 2 3")
    }

    @Test func cassettesWithTheSameNameHaveSeparatePositions() throws {
        let cassettes = try ["a", "b"].map { path in
            try Samples.cassette([
                Samples.set("s", "GET", "https://example.com/\(path)", takes: [Take(status: 201), Take(status: 202)])
            ])
        }
        var state = SessionState(name: "s", mode: .replay, tape: Tape(cassettes))
        let statuses = try ["a", "b", "a", "b"].map { path -> Int in
            let matchRequest = try Samples.matchRequest("GET", "https://example.com/\(path)")
            guard case .decided(.play(let play)) = state.answer(matchRequest) else { return 0 }
            return play.tape.takes[play.take].status
        }
        #expect(statuses == [201, 201, 202, 202])
    }

    @Test func aConditionThatCannotBeEvaluatedTakesNeitherBranch() throws {
        let slow = ValueMatcher.pattern(try Pattern("^(a+)+$|b$", scope: .anywhere))
        let behaviour = Behaviour(
            .conditional(
                when: RequestMatcher(headers: [.init("x", slow)]),
                then: self.takes(200),
                otherwise: self.takes(404)
            )
        )
        var state = try self.state([Variant(name: "v", behaviour: behaviour)])
        let text = String(repeating: "a", count: 200) + "b"
        #expect(try self.ask(&state, headers: [HeaderField("x", text)]) == "cut off")
        #expect(state.cutOff == ["a"])
        #expect(try self.ask(&state, headers: [HeaderField("x", "b")]) == "200")
    }

    @Test func nestedSequencesHaveTheirOwnPositions() throws {
        let inner = Behaviour(.sequence([self.takes(1), self.takes(2)]), after: .cycle, times: 3)
        let sequence = Behaviour(.sequence([inner, self.takes(9)]), after: .cycle)
        var state = try self.state([Variant(name: "v", behaviour: sequence)])
        #expect(try self.ask(&state, times: 8) == "1 2 1 9 1 2 1 9")
    }

    @Test func theSameSeedGivesTheSameOrder() throws {
        let random = Behaviour(.random([.init(weight: 3, self.takes(200)), .init(weight: 1, self.takes(500))]))
        let variants = [Variant(name: "v", behaviour: random)]
        var first = try self.state(variants, seed: 7)
        var second = try self.state(variants, seed: 7)
        var third = try self.state(variants, seed: 8)
        let order = try self.ask(&first, times: 200)
        #expect(try self.ask(&second, times: 200) == order)
        #expect(try self.ask(&third, times: 200) != order)
        let failures = order.split(separator: " ").count { $0 == "500" }
        #expect((25...75).contains(failures), "one in four of 200, and not \(failures)")
    }

    @Test func theOrderDoesNotDependOnWhatOtherSetsAreAskedFor() throws {
        let random = Behaviour(.random([.init(weight: 1, self.takes(200)), .init(weight: 1, self.takes(500))]))
        var sets = try ["a", "b"].map { try Samples.set($0, "GET", "https://example.com/\($0)") }
        for index in sets.indices { sets[index].variants = [Variant(name: "v", behaviour: random)] }
        let tape = Tape([Samples.cassette(sets)])
        var alone = SessionState(name: "s", mode: .replay, tape: tape, seed: 3)
        var mixed = SessionState(name: "s", mode: .replay, tape: tape, seed: 3)
        let order = try self.ask(&alone, times: 40)
        let other = try Samples.matchRequest("GET", "https://example.com/b")
        let interleaved = try (0..<40).map { _ in
            _ = mixed.answer(other)
            return try self.ask(&mixed)
        }
        #expect(interleaved.joined(separator: " ") == order)
    }

    @Test func aConditionChoosesByTheRequest() throws {
        let when = RequestMatcher(headers: [.init("x-plan", .equals("pro"))])
        let behaviour = Behaviour(.conditional(when: when, then: self.takes(200), otherwise: self.takes(402)))
        var state = try self.state([Variant(name: "v", behaviour: behaviour)])
        #expect(state.tape.asksForFields)
        #expect(try self.ask(&state, headers: [HeaderField("X-Plan", "pro")]) == "200")
        #expect(try self.ask(&state) == "402")
    }

    @Test func aConditionWithoutOtherwiseLeavesTheRequestUnmatched() throws {
        let when = RequestMatcher(headers: [.init("x-plan", .equals("pro"))])
        let behaviour = Behaviour(.conditional(when: when, then: self.takes(200), otherwise: nil))
        var state = try self.state([Variant(name: "v", behaviour: behaviour)])
        #expect(try self.ask(&state) == "no answer")
    }

    @Test func variantsThatNameEachOtherInACircleEnd() throws {
        var state = try self.state([
            Variant(name: "a", behaviour: Behaviour(.variant("b"))),
            Variant(name: "b", behaviour: Behaviour(.variant("a"))),
        ])
        #expect(try self.ask(&state) == "no answer")
    }

    // MARK: Passthrough

    @Test func replayAsksTheLiveServerOnlyWhenAllowed() throws {
        let variants = [Variant(name: "v", behaviour: Behaviour(.passthrough))]
        var strict = try self.state(variants)
        var lenient = try self.state(variants, allowsPassthrough: true)
        var append = try self.state(variants, mode: .append)
        #expect(try self.ask(&strict) == "not allowed")
        #expect(try self.ask(&lenient) == "live")
        #expect(try self.ask(&append) == "live")
    }

    // MARK: Staging

    private func staging(_ state: inout SessionState) throws -> Staging? {
        guard case .decided(.play(let play)) = state.answer(try Samples.matchRequest("GET", Self.url)) else {
            return nil
        }
        return play.staging
    }

    @Test func aPlainTakeHasNoStaging() throws {
        var state = try self.state([Variant(name: "v", behaviour: self.takes(200))])
        #expect(try self.staging(&state) == nil)
    }

    @Test func theInnermostBehaviourDecidesTheDelay() throws {
        var inner = self.takes(200)
        inner.pacing = Pacing(delay: .fixed(5), bandwidth: 100)
        var outer = Behaviour(.sequence([inner, self.takes(201)]))
        outer.pacing = Pacing(delay: .fixed(9), dribble: .init(pieces: 2, milliseconds: 50))
        var state = try self.state([Variant(name: "v", behaviour: outer)])
        let first = try #require(try self.staging(&state))
        #expect(first.delay == 5)
        #expect(first.bandwidth == 100)
        #expect(first.dribble == .init(pieces: 2, milliseconds: 50))
        #expect(try self.staging(&state)?.delay == 9)
    }

    @Test(
        arguments: [
            (Pacing.Delay.uniform(from: 10, to: 20), 10...20), (.normal(mean: 500, deviation: 10), 400...600),
            (.logNormal(median: 100, sigma: 0.1), 50...200), (.recorded(factor: 2), 240...240),
        ] as [(Pacing.Delay, ClosedRange<Int>)]
    )
    func delaysAreDrawnFromTheSeed(_ delay: Pacing.Delay, _ range: ClosedRange<Int>) throws {
        let take = Take(recorded: Take.recorded(at: "2026-11-21T10:00:00Z", latency: 120))
        let variants = [Variant(name: "v", behaviour: Behaviour(.takes([take]), pacing: Pacing(delay: delay)))]
        var state = try self.state(variants, seed: 5)
        var again = try self.state(variants, seed: 5)
        let delays = try (0..<50).map { _ in try self.staging(&state)?.delay ?? -1 }
        #expect(delays.allSatisfy { range.contains($0) }, "\(delays)")
        #expect(try (0..<50).map { _ in try self.staging(&again)?.delay ?? -1 } == delays)
        if case .recorded = delay {} else { #expect(Set(delays).count > 3) }
    }

    @Test func theDelayOfACassetteAppliesToAnswersWithoutOne() throws {
        var cassette = try Samples.cassette([Samples.set("a", "GET", Self.url)])
        cassette.delay = .fixed(30)
        var state = SessionState(name: "s", mode: .replay, tape: Tape([cassette]))
        #expect(try self.staging(&state)?.delay == 30)
    }

    @Test func aTemplateSeesTheRequestTheTakeAndTheState() throws {
        let set = ResponseSet(
            name: "user",
            request: RequestMatcher(methods: ["GET"], url: try Samples.template("https://example.com/users/{id}")),
            sets: [StateEntry("seen", "yes")],
            variants: [Variant(name: "v", behaviour: Behaviour(.takes([Take(), Take()]), isTemplate: true))]
        )
        var cassette = Samples.cassette([set])
        cassette.state = [StateEntry("plan", "free")]
        var state = SessionState(name: "s", mode: .replay, tape: Tape([cassette]))
        func scene() throws -> TemplateScene? {
            let matchRequest = try Samples.matchRequest(
                "GET",
                "https://example.com/users/a%20b?q=1",
                headers: [HeaderField("X", "y")]
            )
            guard case .decided(.play(let play)) = state.answer(matchRequest) else { return nil }
            return play.staging?.scene
        }
        let first = try #require(try scene())
        #expect(first.captures["id"] == "a b")
        #expect(first.query.map(\.name) == ["q"])
        #expect(first.fields == [HeaderField("X", "y")])
        #expect(first.take == 1)
        #expect(first.state == ["plan": "free"])
        let second = try #require(try scene())
        #expect(second.take == 2)
        #expect(second.state == ["plan": "free", "seen": "yes"])
    }

    // MARK: State

    @Test func aSetAnswersOnlyInTheStateItRequires() throws {
        let cart = RequestMatcher(method: "GET", url: try Samples.url("https://shop.test/cart"))
        let add = RequestMatcher(method: "POST", url: try Samples.url("https://shop.test/cart"))
        let clear = RequestMatcher(method: "DELETE", url: try Samples.url("https://shop.test/cart"))
        let tape = Tape([
            Samples.cassette([
                Samples.set("empty", cart, requires: [StateEntry("cart", nil)], statuses: [204]),
                Samples.set("full", cart, requires: [StateEntry("cart", "full")], statuses: [200]),
                Samples.set("add", add, sets: [StateEntry("cart", "full")], statuses: [201]),
                Samples.set("clear", clear, sets: [StateEntry("cart", nil)], statuses: [202]),
            ])
        ])
        var state = SessionState(name: "s", mode: .replay, tape: tape)
        let statuses = try ["GET", "POST", "GET", "DELETE", "GET"].map { method -> Int in
            let matchRequest = try Samples.matchRequest(method, "https://shop.test/cart")
            guard case .decided(.play(let play)) = state.answer(matchRequest) else { return 0 }
            return tape.takes[play.take].status
        }
        #expect(statuses == [204, 201, 200, 202, 204])
    }
}
