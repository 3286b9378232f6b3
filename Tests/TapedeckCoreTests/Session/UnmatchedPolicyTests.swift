import Testing

@testable import TapedeckCore

@Suite
struct UnmatchedPolicyTests {
    /// `miss`, `record` or `pass`.
    private func ask(_ mode: Mode, _ policy: UnmatchedPolicy?) throws -> String {
        var state = SessionState(name: "s", mode: mode, policy: policy, tape: Tape([Samples.cassette([])]))
        switch state.answer(try Samples.matchRequest("GET", "https://example.com/a")) {
        case .decided(.forward(let record, _)): return record ? "record" : "pass"
        case .miss: return "miss"
        default: return "played"
        }
    }

    private static let policies: [UnmatchedPolicy?] = [nil, .fail, .passthrough, .record, .respond(Take(status: 404))]

    @Test func inAppendThePolicyDecides() throws {
        let asked = try Self.policies.map { try self.ask(.append, $0) }
        #expect(asked == ["record", "miss", "pass", "record", "miss"])
    }

    /// Promise 1: nothing connects, whatever else is requested.
    @Test func replayNeverForwardsUnderAnyPolicy() throws {
        #expect(try Self.policies.map { try self.ask(.replay, $0) } == Array(repeating: "miss", count: 5))
    }

    @Test func whatARulePassesDoesNotPassToAnOriginOnTape() throws {
        let sets = [
            try Samples.set("a", "GET", "http://localhost:8080/a", takes: [Take(status: 200)]),
            try Samples.set("b", "GET", "https://example.com/b", takes: [Take(status: 200)]),
        ]
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette(sets)]))
        func ask(_ url: String, _ reason: HostRules.Reason?) throws -> String {
            var request = try Samples.matchRequest("GET", url)
            request.passing = Passing(reason)
            switch state.answer(request) {
            case .decided(.play): return "played"
            case .decided(.forward): return "pass"
            default: return "miss"
            }
        }
        #expect(try ask("http://localhost:8080/a", .local) == "played")
        #expect(try ask("http://localhost:8080/other", .local) == "miss")
        #expect(try ask("http://localhost:8081/other", .local) == "pass")
        #expect(try ask("https://localhost:8080/other", .local) == "pass")
        // Whoever names a host in an option has its requests pass.
        #expect(try ask("http://localhost:8080/other", .except("localhost")) == "pass")
        #expect(try ask("http://localhost:8080/other", nil) == "miss")
    }

    @Test func aPolicySuitsTheModesInWhichItHasAnEffect() {
        let suits = Self.policies.compactMap { $0 }.map { policy in Mode.allCases.filter(policy.suits).map(\.rawValue) }
        #expect(suits == [["replay", "append"], ["append"], ["append"], ["replay", "append"]])
    }

    @Test func modeAndPolicyChangeWhileTheSessionRuns() throws {
        let set = try Samples.set("a", "GET", "https://example.com/a", takes: [Take(status: 201), Take(status: 202)])
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Samples.cassette([set])]))
        func ask(_ path: String) throws -> String {
            switch state.answer(try Samples.matchRequest("GET", "https://example.com\(path)")) {
            case .decided(.play(let play)): "\(play.tape.takes[play.take].status)"
            case .decided(.forward(let record, _)): record ? "record" : "pass"
            default: "miss"
            }
        }
        #expect(try ask("/a") == "201")
        state.change(mode: .record, policy: nil)
        #expect(try ask("/a") == "record")
        state.change(mode: .append, policy: .passthrough)
        #expect(try ask("/a") == "202")
        #expect(try ask("/b") == "pass")
        state.change(mode: .replay, policy: nil)
        #expect(try ask("/b") == "miss")
    }
}
