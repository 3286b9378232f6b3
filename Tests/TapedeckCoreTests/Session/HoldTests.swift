import Testing

@testable import TapedeckCore

/// Response sets that hold the requests they match.
@Suite
struct HoldTests {
    private static let url = "https://example.com/a"

    private func holder(_ name: String = "holder", priority: Int = 0) throws -> ResponseSet {
        var set = Samples.set(name, RequestMatcher(method: "GET", url: try Samples.url(Self.url)), priority: priority)
        set.variants = [Variant(name: "stub", behaviour: Behaviour(.hold)), Variant(name: "plain", takes: [Take()])]
        return set
    }

    /// A session with a holding set over a cassette whose set answers with these statuses.
    private func state(_ statuses: [Int] = [200, 201], mode: Mode = .replay) throws -> SessionState {
        let sets = statuses.isEmpty ? [] : [Samples.set("file", try self.holder().request, statuses: statuses)]
        var state = SessionState(name: "s", mode: mode, tape: Tape([Samples.cassette(sets)]))
        state.add(try self.holder())
        return state
    }

    private func hold(_ answer: SessionState.Answer) -> Hold? {
        guard case .decided(.hold(let hold)) = answer else { return nil }
        return hold
    }

    private func status(_ answer: SessionState.Answer) -> Int? {
        guard case .decided(.play(let play)) = answer else { return nil }
        return play.tape.takes[play.take].status
    }

    @Test func aMatchingRequestIsHeldWithoutPlayingATake() throws {
        var state = try self.state()
        let hold = self.hold(state.answer(try Samples.matchRequest("GET", Self.url)))
        #expect(hold?.set == "holder")
        #expect(hold?.rule.isEmpty == false)
        #expect(state.playedCount == 0)
        #expect(state.unusedSets == ["file"])
    }

    @Test func theTapeAnswersWithoutTheSetsThatHoldAndItsTakesAdvance() throws {
        var state = try self.state()
        state.add(try self.holder("other", priority: 9))
        let matchRequest = try Samples.matchRequest("GET", Self.url)
        let hold = self.hold(state.answer(matchRequest))
        #expect(hold?.set == "other")
        let statuses = (0..<3).map { _ in self.status(state.answer(held: matchRequest)) }
        #expect(statuses == [200, 201, 201])
        // It counts when it is known that this is what the client gets.
        #expect(state.playedCount == 0)
        state.notePlayed()
        #expect(state.playedCount == 1)
    }

    @Test func aHeldRequestWithoutAnotherSetIsAMissAndIsForwardedInAppend() throws {
        var state = try self.state([])
        let matchRequest = try Samples.matchRequest("GET", Self.url)
        guard case .miss(.noMatch) = state.answer(held: matchRequest) else {
            Issue.record("the holding set answered itself")
            return
        }
        state.change(mode: .append, policy: nil)
        guard case .decided(.forward(record: true, delay: 0)) = state.answer(held: matchRequest) else {
            Issue.record("the origin is not asked")
            return
        }
    }

    @Test func passthroughForwardsInsteadOfHolding() throws {
        var state = try self.state(mode: .passthrough)
        guard case .decided(.forward) = state.answer(try Samples.matchRequest("GET", Self.url)) else {
            Issue.record("it was held")
            return
        }
    }

    @Test func aRecordingHoldsWhatItIsToldTo() throws {
        var state = try self.state(mode: .record)
        guard case .decided(.hold) = state.answer(try Samples.matchRequest("GET", Self.url)) else {
            Issue.record("it was not held")
            return
        }
    }

    @Test func anotherVariantOfTheSetAnswersWhenItIsSelected() throws {
        var state = try self.state()
        try state.select("plain", of: "holder")
        let status = self.status(state.answer(try Samples.matchRequest("GET", Self.url)))
        #expect(status == 200)
        #expect(state.playedCount == 1)
    }

    @Test func aVariantThatLeadsToAHoldHoldsWithoutChangingState() throws {
        var set = try self.holder()
        let part = Behaviour(.variant("stub"), sets: [StateEntry("seen", "yes")])
        set.variants.insert(
            Variant(name: "first", behaviour: Behaviour(.sequence([part, Behaviour(.variant("plain"))]))),
            at: 0
        )
        var state = try self.state()
        state.add(set)
        let matchRequest = try Samples.matchRequest("GET", Self.url)
        let isHeld = self.hold(state.answer(matchRequest)) != nil
        #expect(isHeld)
        #expect(state.state.isEmpty)
        let status = self.status(state.answer(matchRequest))
        #expect(status == 200)
    }

    @Test func aHoldNeedsTheBodyAndTheHeaders() throws {
        var state = try self.state()
        let matchRequest = MatchRequest(try Samples.key("GET", Self.url), body: nil)
        let isNeeded = state.needsBody(matchRequest)
        #expect(isNeeded)
        #expect(state.tapes.asksForFields)
        let isNeededElsewhere = state.needsBody(
            MatchRequest(try Samples.key("GET", "https://example.com/b"), body: nil)
        )
        #expect(!isNeededElsewhere)
    }

    @Test func anAnswerToAHeldRequestIsPlayedAsATakeOfTheSet() throws {
        let hold = Hold(set: "holder", rule: "exact URL")
        let play = hold.play(Take(status: 409), seed: 1)
        #expect(play.tape.entries[play.entry].set.name == "holder")
        #expect(play.tape.takes[play.take].status == 409)
        #expect(play.variant == "held")
        #expect(play.number == 1)
        #expect(play.staging == nil)
        let late = hold.play(Take(), after: .fixed(20), seed: 1)
        #expect(late.staging?.delay == 20)
        let delays = (1...20).map { hold.play(Take(), after: .uniform(from: 1, to: 9), seed: $0).staging?.delay ?? 0 }
        #expect(delays.allSatisfy { (1...9).contains($0) })
        #expect(Set(delays).count > 1)
    }

    @Test func aMissIsExplainedWithoutTheSetsThatHold() throws {
        var state = try self.state([])
        state.add(Samples.set("near", RequestMatcher(method: "POST", url: try Samples.url(Self.url))))
        let report = state.tapes.withoutHolds.explainMiss(
            try Samples.matchRequest("GET", Self.url),
            state: [:],
            reason: .noMatch,
            session: "s",
            mode: .replay
        )
        #expect(report.nearest.map(\.set) == ["near"])
        let added = state.removeAdded("near")
        #expect(added)
        #expect(state.tapes.withoutHolds.added == nil)
    }
}
