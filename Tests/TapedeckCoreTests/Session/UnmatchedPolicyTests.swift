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
