import NIOCore
import Testing

@testable import TapedeckProxy

@Suite struct UpstreamStateTests {
    private final class Peer: OpaquePeer {
        var context: ChannelHandlerContext? { nil }
        func resumeReading() {}
        func close() {}
    }

    /// A connection that has sent a request.
    private static func asked(uses: Int = 1) -> UpstreamState {
        var state = UpstreamState()
        for use in 1...uses {
            state.requestBegan()
            state.requestEnded()
            guard use < uses else { break }
            _ = state.bytesCame()
            state.headCame(keepsAlive: true)
            _ = state.responseEnded(hasMore: false)
        }
        return state
    }

    @Test func `A connection whose exchange is over takes another`() {
        var state = Self.asked()
        #expect(state.isInUse)
        #expect(!state.isIdle)
        if case .parse = state.bytesCame() {} else { Issue.record("the response is not read") }
        state.headCame(keepsAlive: true)
        if case .giveBack = state.responseEnded(hasMore: false) {} else { Issue.record("it is not given back") }
        #expect(state.isIdle)
        #expect(!state.isInUse)
    }

    @Test func `A connection that announces its end takes no other request`() {
        var state = Self.asked()
        state.headCame(keepsAlive: false)
        if case .close = state.responseEnded(hasMore: false) {} else { Issue.record("it is given back") }
        #expect(!state.isIdle)
    }

    @Test func `A connection with unexpected bytes is not reused`() {
        var state = Self.asked()
        state.headCame(keepsAlive: true)
        if case .close = state.responseEnded(hasMore: true) {} else { Issue.record("it is given back") }
        var idle = UpstreamState()
        if case .close = idle.bytesCame() {} else { Issue.record("bytes are read that nobody asked for") }
    }

    @Test func `A connection answered before its request was complete is not reused`() {
        var state = UpstreamState()
        state.requestBegan()
        state.headCame(keepsAlive: true)
        if case .close = state.responseEnded(hasMore: false) {} else { Issue.record("it is given back") }
    }

    @Test func `A connection that gives not a byte fails on reuse only if it was used`() {
        #expect(!Self.asked().failsOnReuse)
        #expect(Self.asked(uses: 2).failsOnReuse)
        var answered = Self.asked(uses: 2)
        _ = answered.bytesCame()
        #expect(!answered.failsOnReuse)
    }

    @Test func `Endless interim responses of an origin fail`() {
        var state = Self.asked()
        for _ in 0..<32 {
            #expect(state.interimCame(status: 103) == .deliver)
        }
        #expect(state.interimCame(status: 103) == .fail("1xx responses do not end"))
        var next = Self.asked(uses: 2)
        #expect(next.interimCame(status: 103) == .deliver)
    }

    @Test func `A connection switches protocols only on request`() {
        var state = Self.asked()
        #expect(state.interimCame(status: 101) == .fail("it switches protocols unasked"))
        let peer = Peer()
        state.upgraded(to: peer)
        if case .pass(let other) = state.bytesCame() {
            #expect(other === peer)
        } else {
            Issue.record("bytes are not passed on")
        }
        if case .close = state.wentAway() {} else { Issue.record("the peer is not told of the end") }
    }

    @Test func `A closed connection fails before the head, and may end a body`() {
        var early = Self.asked()
        if case .failHead = early.wentAway() {} else { Issue.record("no head is no failure") }
        var late = Self.asked()
        late.headCame(keepsAlive: true)
        if case .endBody = late.wentAway() {} else { Issue.record("the body does not end") }
        late.bodyEndedAtClose()
        if case .none = late.responseEnded(hasMore: false) {} else { Issue.record("it is used again") }
        var idle = UpstreamState()
        if case .none = idle.wentAway() {} else { Issue.record("an idle one fails") }
        #expect(!idle.isIdle)
    }

    @Test func `A closed connection is not used again`() {
        var state = UpstreamState()
        state.close()
        #expect(!state.isIdle)
        if case .close = state.bytesCame() {} else { Issue.record("bytes are read") }
    }
}
