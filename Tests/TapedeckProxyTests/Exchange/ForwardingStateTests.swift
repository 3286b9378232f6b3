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
        #expect(state.cancelled() == .stop(during: .connecting))
        #expect(state.connected() == false)
        #expect(state.cancelled() == .none)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func `An idempotent request is repeated on a new connection`(method: String) {
        var state = Self.sending()
        #expect(state.failed(.idempotent, method: method) == .retry(fresh: true))
        #expect(state.phase == .connecting)
        #expect(state.connected() == true)
        // Once, for any new connection: an HTTP/2 origin may refuse it again and again.
        #expect(state.failed(.idempotent, method: method) == .show(headIsOut: false))
    }

    @Test(arguments: ["POST", "PATCH", "CONNECT"])
    func `A request that is not idempotent is not repeated`(method: String) {
        var state = Self.sending()
        #expect(state.failed(.idempotent, method: method) == .show(headIsOut: false))
    }

    @Test func `A request whose body is gone is not repeated`() {
        var state = Self.sending()
        state.bodyWentOut()
        #expect(state.failed(.idempotent, method: "PUT") == .show(headIsOut: false))
    }

    @Test func `A failure after an answer has begun is not retried`() {
        var state = Self.sending()
        state.answerBegan()
        #expect(state.failed(.idempotent, method: "GET") == .show(headIsOut: true))
    }

    @Test(arguments: ["GET", "POST"])
    func `A request that the origin did not look at is sent again`(method: String) {
        var state = Self.sending()
        #expect(state.failed(.any, method: method) == .retry(fresh: false))
        #expect(state.connected() == true)
        #expect(state.failed(.any, method: method) == .show(headIsOut: false))
        var gone = Self.sending()
        gone.bodyWentOut()
        #expect(gone.failed(.any, method: method) == .show(headIsOut: false))
    }

    @Test func `A client that leaves ends the phase at hand`() {
        var early = Self.sending()
        #expect(early.cancelled() == .stop(during: .sending))
        var late = Self.sending()
        late.answerBegan()
        #expect(late.cancelled() == .stop(during: .answering))
        #expect(late.phase == .done)
    }

    @Test func `Forwarding ends once`() {
        var state = Self.sending()
        #expect(state.end() == true)
        #expect(state.end() == false)
        #expect(state.failed(.none, method: "GET") == .none)
    }
}
