import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite struct ExchangeStateTests {
    private static let hold = Hold(set: "login", rule: "exact URL, 0 conditions")
    /// Answers that need the body to have been read, as those of the tape do.
    private static var taped: Verdict { .sessionEnded(isHeld: true) }

    @Test(arguments: [0, 1, 2, 3])
    func `A refusal is given before the body is read`(number: Int) {
        let refusals: [Verdict] = [
            .block(pattern: "*.test"), .refuseLoop, .answerAsLastHop, .sessionEnded(isHeld: false),
        ]
        var state = ExchangeState()
        guard case .answer = state.begin(refusals[number]) else {
            Issue.record("\(refusals[number]) is not given")
            return
        }
        #expect(state.bodyCame() == .drop)
        guard case .none = state.bodyEnded() else {
            Issue.record("it is given twice")
            return
        }
    }

    @Test func `A body that the verdict depends on is gathered, and then the verdict is found`() {
        var state = ExchangeState()
        guard case .gatherBody = state.begin(.needsBody) else {
            Issue.record("it is not gathered")
            return
        }
        #expect(state.bodyCame() == .gather)
        guard case .judge(isWhole: true) = state.bodyEnded(), case .answer = state.judged(Self.taped, isWhole: true)
        else {
            Issue.record("the verdict is not found")
            return
        }
        if case .answering = state.phase {} else { Issue.record("\(state.phase)") }
    }

    @Test func `A body that is too large is judged without its rest where it may go to the origin`() {
        var state = ExchangeState()
        _ = state.begin(.needsBody)
        if case .none = state.bodyIsTooLarge(mayForward: false) {} else { Issue.record("it is judged too early") }
        guard case .judge(isWhole: false) = state.bodyIsTooLarge(mayForward: true),
            case .forwardGathered(records: true, delay: 5, isWhole: false) = state.judged(
                .forward(records: true, delay: 5),
                isWhole: false
            )
        else {
            Issue.record("it is not forwarded")
            return
        }
        #expect(state.bodyCame() == .forward)
        if case .endForwarded = state.bodyEnded() {} else { Issue.record("the origin is not told of the end") }
    }

    @Test func `An answer that was decided on early waits for the rest of the body`() {
        var state = ExchangeState()
        _ = state.begin(.needsBody)
        _ = state.bodyIsTooLarge(mayForward: true)
        if case .none = state.judged(Self.taped, isWhole: false) {} else { Issue.record("it does not wait") }
        #expect(state.bodyCame() == .drop)
        if case .answer = state.bodyEnded() {} else { Issue.record("it is not given") }
    }

    @Test func `A request that is forwarded passes its body on`() {
        var state = ExchangeState()
        guard case .forward(records: false, delay: 0) = state.begin(.forward(records: false, delay: 0)) else {
            Issue.record("it is not forwarded")
            return
        }
        #expect(state.bodyCame() == .forward)
        if case .endForwarded = state.bodyEnded() {} else { Issue.record("the origin is not told of the end") }
        state.leftOrigin()
        #expect(state.bodyCame() == .drop)
    }

    @Test func `A request is held once its body has arrived, and answered when it is released`() {
        var state = ExchangeState()
        guard case .gatherBody = state.begin(.hold(Self.hold)), state.bodyCame() == .gather,
            case .hold(Self.hold, hasWholeBody: true) = state.bodyEnded()
        else {
            Issue.record("it is not held")
            return
        }
        state.held(hasWholeBody: true)
        #expect(state.isHeld)
        #expect(state.bodyCame() == .drop)
        #expect(state.released() == true)
        #expect(!state.isHeld)
        // A request is released only once.
        #expect(state.released() == nil)
        if case .answer = state.judged(Self.taped, isWhole: true) {} else { Issue.record("it is not answered") }
    }

    @Test func `A request held with half a body reads the rest on release`() {
        var state = ExchangeState()
        _ = state.begin(.needsBody)
        _ = state.bodyIsTooLarge(mayForward: true)
        guard case .hold(_, hasWholeBody: false) = state.judged(.hold(Self.hold), isWhole: false) else {
            Issue.record("it is not held")
            return
        }
        state.held(hasWholeBody: false)
        #expect(state.released() == false)
        if case .none = state.judged(Self.taped, isWhole: false) {} else { Issue.record("it is answered too early") }
        if case .answer = state.bodyEnded() {} else { Issue.record("it is not answered") }
    }

    @Test func `An exchange ends once`() {
        var state = ExchangeState()
        _ = state.begin(.forward(records: false, delay: 0))
        #expect(state.end() == true)
        #expect(state.hasEnded)
        #expect(state.end() == false)
        #expect(state.bodyCame() == .drop)
        if case .none = state.bodyEnded() {} else { Issue.record("it goes on") }
    }
}
