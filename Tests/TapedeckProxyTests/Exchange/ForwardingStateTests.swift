import Testing

@testable import TapedeckProxy

@Suite struct ForwardingStateTests {
    /// A request that has been sent, and whose answer has not begun.
    private static func sending() -> ForwardingState {
        var state = ForwardingState()
        _ = state.connected()
        return state
    }

    @Test func `A connection that comes too late is not used`() {
        var state = ForwardingState()
        #expect(state.cancelled() == .stop(isAnswered: false))
        #expect(state.connected() == false)
        #expect(state.cancelled() == .none)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func `An idempotent request is repeated on a new connection`(method: String) {
        var state = Self.sending()
        #expect(state.failed(onReused: true, method: method) == .retry)
        #expect(state.phase == .connecting)
        #expect(state.connected() == true)
        // Once, for any new connection: an HTTP/2 origin may refuse it again and again.
        #expect(state.failed(onReused: true, method: method) == .show(headIsOut: false))
    }

    @Test(arguments: ["POST", "PATCH", "CONNECT"])
    func `A request that is not idempotent is not repeated`(method: String) {
        var state = Self.sending()
        #expect(state.failed(onReused: true, method: method) == .show(headIsOut: false))
    }

    @Test func `A request whose body was sent is not repeated`() {
        var state = Self.sending()
        state.sentBody()
        #expect(state.failed(onReused: true, method: "PUT") == .show(headIsOut: false))
    }

    @Test func `A failure after an answer has begun is not retried`() {
        var state = Self.sending()
        state.answerBegan()
        #expect(state.failed(onReused: true, method: "GET") == .show(headIsOut: true))
    }

    @Test func `A cancelled answer reports whether its request was complete`() {
        var early = Self.sending()
        early.answerBegan()
        #expect(early.cancelled() == .stop(isAnswered: false))
        var late = Self.sending()
        late.requestEnded()
        late.answerBegan()
        #expect(late.cancelled() == .stop(isAnswered: true))
    }

    @Test func `Forwarding ends once`() {
        var state = Self.sending()
        #expect(state.end() == true)
        #expect(state.end() == false)
        #expect(state.failed(onReused: false, method: "GET") == .none)
    }
}
