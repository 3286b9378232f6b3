import Testing

@testable import TapedeckCore

@Suite
struct SessionStateTests {
    private static let url = "https://example.com/a"

    private func tape(_ statuses: [Int] = [200]) throws -> Tape {
        Tape([Samples.cassette([try Samples.set("a", "GET", Self.url, takes: statuses.map { Take(status: $0) })])])
    }

    private func ask(
        _ state: inout SessionState,
        _ url: String = Self.url,
        body: ObservedBody? = nil
    ) throws -> Decision? {
        state.answer(key: try Samples.key("GET", url), body: body)
    }

    private func statuses(_ state: inout SessionState, count: Int) throws -> [Int?] {
        try (0..<count).map { _ in
            guard case .play(let take) = try self.ask(&state) else { return nil }
            return state.tape.takes[take].status
        }
    }

    @Test(
        arguments: [
            (Mode.replay, .play(0), nil), (.append, .play(0), .forward(record: true)),
            (.record, .forward(record: true), .forward(record: true)),
            (.passthrough, .forward(record: false), .forward(record: false)),
        ] as [(Mode, Decision, Decision?)]
    )
    func theModeDecides(_ mode: Mode, onTape: Decision, missing: Decision?) throws {
        var state = SessionState(name: "s", mode: mode, tape: try self.tape())
        #expect(try self.ask(&state) == onTape)
        #expect(try self.ask(&state, "https://example.com/b") == missing)
        #expect(state.played == [onTape == .play(0) ? 1 : 0])
    }

    @Test(
        arguments: [
            (Mode.replay, true, false, false), (.record, false, true, true), (.append, true, true, true),
            (.passthrough, false, false, true),
        ]
    )
    func aModeSaysWhatItMayDo(_ mode: Mode, plays: Bool, records: Bool, dialsOut: Bool) {
        #expect(mode.plays == plays)
        #expect(mode.records == records)
        #expect(mode.dialsOut == dialsOut)
    }

    @Test func takesPlayInOrderAndTheLastRepeats() throws {
        var state = SessionState(name: "s", mode: .replay, tape: try self.tape([201, 202, 203]))
        #expect(try self.statuses(&state, count: 6) == [201, 202, 203, 203, 203, 203])
        #expect(state.played == [6])
    }

    @Test func setsKeepTheirPlacesApart() throws {
        let sets = try ["a", "b"].map { name in
            try Samples.set(name, "GET", "https://example.com/\(name)", takes: [Take(status: 200), Take(status: 201)])
        }
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette(sets)]))
        #expect(try self.ask(&state, "https://example.com/a") == .play(0))
        #expect(try self.ask(&state, "https://example.com/b") == .play(2))
        #expect(try self.ask(&state, "https://example.com/a") == .play(1))
        #expect(try self.ask(&state, "https://example.com/b") == .play(3))
    }

    @Test func twoSessionsOnOneTapeDoNotShareTheirPlace() throws {
        let tape = try self.tape([201, 202])
        var one = SessionState(name: "one", mode: .replay, tape: tape)
        var two = SessionState(name: "two", mode: .replay, tape: tape)
        #expect(try self.statuses(&one, count: 2) == [201, 202])
        #expect(try self.statuses(&two, count: 2) == [201, 202])
        one.note(tape.explainMiss(try Samples.line("GET", "https://example.com/b"), session: "one", mode: .replay))
        #expect(one.unmatchedCount == 1)
        #expect(two.unmatchedCount == 0)
    }

    @Test func onlyTheDefaultVariantPlays() throws {
        var set = try Samples.set("a", "GET", Self.url, takes: [Take(status: 201)])
        set.variants.append(Variant(name: "offline", takes: [Take(fault: .timeout)]))
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette([set])]))
        #expect(try self.statuses(&state, count: 2) == [201, 201])
    }

    @Test func theBodyDecidesWhereThereIsAConditionOnIt() throws {
        let set = try Samples.set("a", "GET", Self.url, body: Samples.text("x"))
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette([set])]))
        #expect(try self.ask(&state, body: Samples.body("x")) == .play(0))
        #expect(try self.ask(&state, body: Samples.body("y")) == nil)
        #expect(try self.ask(&state) == nil)
    }

    @Test func theListOfUnmatchedRequestsIsBoundedAndTheirCountIsNot() throws {
        var state = SessionState(name: "s", mode: .replay, tape: try self.tape())
        for number in 0..<250 {
            let line = try Samples.line("GET", "https://example.com/missing/\(number)")
            state.note(state.tape.explainMiss(line, session: "s", mode: .replay))
        }
        #expect(state.unmatchedCount == 250)
        #expect(state.unmatched.count == 100)
        #expect(state.unmatched.first?.request.url.target == "/missing/0")
        #expect(state.unmatched.last?.request.url.target == "/missing/99")
    }
}
