import Testing

@testable import TapedeckCore

@Suite
struct SessionStateTests {
    private static let url = "https://example.com/a"

    private func tape(_ statuses: [Int] = [200]) throws -> Tape {
        Tape([Samples.cassette([try Samples.set("a", "GET", Self.url, takes: statuses.map { Take(status: $0) })])])
    }

    /// `play 0`, `record`, `pass` or `miss`.
    private func ask(_ state: inout SessionState, _ url: String = Self.url, body: String? = nil) throws -> String {
        switch state.answer(try Samples.matchRequest("GET", url, body: body)) {
        case .decided(.play(let play)): "play \(play.take)"
        case .decided(.forward(let record, _)): record ? "record" : "pass"
        case .decided(.hold): "hold"
        case .decided(.reject), .miss, .mayHideSecrets: "miss"
        }
    }

    private func statuses(_ state: inout SessionState, count: Int) throws -> [Int?] {
        try (0..<count).map { _ in
            guard case .decided(.play(let play)) = state.answer(try Samples.matchRequest("GET", Self.url)) else {
                return nil
            }
            return play.tape.takes[play.take].status
        }
    }

    @Test(
        arguments: [
            (Mode.replay, "play 0", "miss"), (.append, "play 0", "record"), (.record, "record", "record"),
            (.passthrough, "pass", "pass"),
        ]
    )
    func theModeDecidesBetweenPlayingRecordingAndForwarding(_ mode: Mode, onTape: String, missing: String) throws {
        var state = SessionState(name: "s", mode: mode, tape: try self.tape())
        #expect(try self.ask(&state) == onTape)
        #expect(try self.ask(&state, "https://example.com/b") == missing)
        #expect(state.playedCount == (onTape == "play 0" ? 1 : 0))
    }

    @Test(
        arguments: [
            (Mode.replay, true, false, false), (.record, false, true, true), (.append, true, true, true),
            (.passthrough, false, false, true),
        ]
    )
    func eachModeHasItsPermissions(_ mode: Mode, plays: Bool, records: Bool, dialsOut: Bool) {
        #expect(mode.plays == plays)
        #expect(mode.records == records)
        #expect(mode.dialsOut == dialsOut)
    }

    @Test func takesPlayInOrderAndTheLastRepeats() throws {
        var state = SessionState(name: "s", mode: .replay, tape: try self.tape([201, 202, 203]))
        #expect(try self.statuses(&state, count: 6) == [201, 202, 203, 203, 203, 203])
        #expect(state.playedCount == 6)
    }

    @Test func eachSetHasItsOwnPosition() throws {
        let sets = try ["a", "b"].map { name in
            try Samples.set(name, "GET", "https://example.com/\(name)", takes: [Take(status: 200), Take(status: 201)])
        }
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette(sets)]))
        #expect(try self.ask(&state, "https://example.com/a") == "play 0")
        #expect(try self.ask(&state, "https://example.com/b") == "play 2")
        #expect(try self.ask(&state, "https://example.com/a") == "play 1")
        #expect(try self.ask(&state, "https://example.com/b") == "play 3")
    }

    @Test func twoSessionsOnOneTapeDoNotShareAnything() throws {
        let tape = try self.tape([201, 202])
        var one = SessionState(name: "one", mode: .replay, tape: tape)
        var two = SessionState(name: "two", mode: .replay, tape: tape)
        try one.select("offline", of: "a")
        one.set("key", to: "value")
        #expect(try self.statuses(&two, count: 2) == [201, 202])
        one.resetAll()
        #expect(try self.statuses(&one, count: 2) == [201, 202])
        #expect(two.state.isEmpty)
    }

    @Test func theBodyDecidesWhereThereIsAConditionOnIt() throws {
        let set = try Samples.set("a", "GET", Self.url, body: Samples.text("x"))
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette([set])]))
        #expect(try self.ask(&state, body: "x") == "play 0")
        #expect(try self.ask(&state, body: "y") == "miss")
        #expect(try self.ask(&state) == "miss")
    }

    @Test func theSetsThatWereNeverAskedForAreKnown() throws {
        let sets = try ["a", "b", "c"].map { try Samples.set($0, "GET", "https://example.com/\($0)") }
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette(sets)]))
        _ = try self.ask(&state, "https://example.com/b")
        #expect(state.unusedSets == ["a", "c"])
    }

    @Test func theListOfUnmatchedRequestsIsLimitedButTheirCountIsNot() throws {
        var state = SessionState(name: "s", mode: .replay, tape: try self.tape())
        for number in 0..<250 {
            let matchRequest = try Samples.matchRequest("GET", "https://example.com/missing/\(number)")
            let report = state.tapes.explainMiss(
                matchRequest,
                state: [:],
                reason: .noMatch,
                session: "s",
                mode: .replay
            )
            state.note(report)
        }
        #expect(state.unmatchedCount == 250)
        #expect(state.unmatched.count == 100)
        #expect(state.unmatched.first?.request.url.target == "/missing/0")
        #expect(state.unmatched.last?.request.url.target == "/missing/99")
    }

    @Test func aChangedTapeContinuesAtThePositionOfTheOldOne() throws {
        var state = SessionState(name: "s", mode: .replay, tape: try self.tape([201, 202, 203]))
        #expect(try self.statuses(&state, count: 1) == [201])
        let other = try Samples.set("new", "GET", "https://example.com/new")
        let set = try Samples.set("a", "GET", Self.url, takes: [301, 302, 303].map { Take(status: $0) })
        _ = state.replaceTape(Tape([Samples.cassette([other, set])]))
        #expect(try self.statuses(&state, count: 2) == [302, 303])
        #expect(state.unusedSets == ["new"])
    }
}
