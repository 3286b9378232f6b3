import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite struct ClientConnectionStateTests {
    private static let origin = Origin(scheme: .https, host: "api.example.test")

    /// The other end of a connection that is joined with it.
    private final class Peer: OpaquePeer {
        var context: ChannelHandlerContext? { nil }
        func resumeReading() {}
        func close() {}
    }

    /// A connection with one unanswered request, whose body was read or not.
    private static func answering(bodyIsRead: Bool = true) -> ClientConnectionState {
        var state = ClientConnectionState()
        state.requestBegan()
        if bodyIsRead { state.requestEnded() }
        return state
    }

    // MARK: Requests

    @Test func `One request follows the other`() {
        var state = ClientConnectionState()
        for _ in 0..<3 {
            guard case .head = state.phase else {
                Issue.record("\(state.phase)")
                return
            }
            state.requestBegan()
            #expect(!state.hasReadRequest(bodyEndsNow: false))
            #expect(state.hasReadRequest(bodyEndsNow: true))
            state.requestEnded()
            #expect(state.hasReadRequest(bodyEndsNow: false))
            #expect(state.answerEnded(.complete, closes: false, waiting: 0) == .nextRequest)
        }
    }

    @Test func `An answer with Connection close ends the connection`() {
        var state = Self.answering()
        #expect(state.answerEnded(.complete, closes: true, waiting: 0) == .close(atOnce: false))
        guard case .closing = state.phase else {
            Issue.record("\(state.phase)")
            return
        }
        if case .drop = state.bytesCame() {} else { Issue.record("bytes behind the last answer are read") }
    }

    @Test(arguments: [
        (StreamEnding.cut, ClientConnectionState.FinishAction.cut), (.reset, .reset),
        (.completeAndClosed, .close(atOnce: false)),
    ])
    func `Every other ending of an answer ends the connection too`(
        ending: StreamEnding,
        action: ClientConnectionState.FinishAction
    ) {
        var state = Self.answering()
        #expect(state.answerEnded(ending, closes: false, waiting: 0) == action)
    }

    @Test func `A client that closes its side gets all its answers`() {
        var state = Self.answering()
        if case .tellExchange = state.inputClosed() {} else { Issue.record("the exchange is not told") }
        #expect(state.takesMoreRequests(waiting: 10))
        #expect(state.answerEnded(.complete, closes: false, waiting: 10) == .nextRequest)
        state.requestBegan()
        state.requestEnded()
        #expect(state.answerEnded(.complete, closes: false, waiting: 0) == .close(atOnce: true))
    }

    @Test func `A client that leaves within a body abandons its request`() {
        var state = Self.answering(bodyIsRead: false)
        if case .abandon = state.inputClosed() {} else { Issue.record("the body is waited for") }
    }

    @Test func `Bytes before the end of the input are parsed`() {
        var state = ClientConnectionState()
        if case .parse = state.inputClosed() {} else { Issue.record("it is not parsed") }
        #expect(state.takesMoreRequests(waiting: 1))
        #expect(!state.takesMoreRequests(waiting: 0))
    }

    // MARK: Back-pressure

    @Test func `Reading pauses while too many bytes wait to be parsed`() {
        var state = Self.answering()
        #expect(state.mayRead(waiting: 1, takesBody: true) == true)
        #expect(state.mayRead(waiting: 1 << 20, takesBody: true) == false)
        #expect(state.isHeld)
        #expect(state.mayReadAgain(waiting: 1 << 20, takesBody: true) == false)
        #expect(state.mayReadAgain(waiting: 0, takesBody: true) == true)
        // It asks once.
        #expect(state.mayReadAgain(waiting: 0, takesBody: true) == false)
    }

    @Test func `A body is read only as fast as the exchange takes it`() {
        var state = Self.answering(bodyIsRead: false)
        #expect(state.mayRead(waiting: 0, takesBody: false) == false)
        #expect(state.mayReadAgain(waiting: 0, takesBody: true) == true)
    }

    // MARK: Tunnels

    @Test func `Requests in a tunnel begin once the protocol is known`() {
        var state = ClientConnectionState()
        state.tunnelAccepted(to: Self.origin, of: nil)
        guard case .tunnelStart(let origin, nil) = state.phase else {
            Issue.record("\(state.phase)")
            return
        }
        #expect(origin == Self.origin)
        if case .parse = state.bytesCame() {} else { Issue.record("the first bytes are not looked at") }
        state.requestsBegin()
        if case .head = state.phase {} else { Issue.record("\(state.phase)") }
    }

    @Test func `A passed-through tunnel carries bytes once it is joined`() {
        var state = ClientConnectionState()
        state.tunnelIsDialled()
        #expect(state.awaitsTunnel)
        let peer = Peer()
        state.joined(with: peer)
        #expect(!state.awaitsTunnel)
        if case .pass(let other) = state.bytesCame() {
            #expect(other === peer)
        } else {
            Issue.record("bytes are not passed on")
        }
        if case .finish(let other) = state.inputClosed() {
            #expect(other === peer)
        } else {
            Issue.record("the peer is not told of the end")
        }
    }

    @Test func `A tunnel that comes too late is not joined`() {
        var dialled = ClientConnectionState()
        dialled.tunnelIsDialled()
        if case .closeNow = dialled.stop(waiting: 0) {} else { Issue.record("the origin is waited for") }
        #expect(!dialled.awaitsTunnel)
        var left = ClientConnectionState()
        left.tunnelIsDialled()
        _ = left.answerEnded(.completeAndClosed, closes: false, waiting: 0)
        #expect(!left.awaitsTunnel)
    }

    @Test func `A client that closes its side still gets the rest of the last answer`() {
        var early = Self.answering()
        #expect(early.answerEnded(.completeAndClosed, closes: false, waiting: 0) == .close(atOnce: false))
        if case .none = early.inputClosed() {} else { Issue.record("the answer is cut off") }
        #expect(early.answerIsWritten() == true)
        var late = Self.answering()
        _ = late.answerEnded(.completeAndClosed, closes: false, waiting: 0)
        #expect(late.answerIsWritten() == false)
        if case .close = late.inputClosed() {} else { Issue.record("the client is waited for") }
        for ending in [StreamEnding.cut, .reset] {
            var broken = Self.answering()
            _ = broken.answerEnded(ending, closes: false, waiting: 0)
            if case .none = broken.inputClosed() {} else { Issue.record("another end than that of the tape") }
        }
    }

    @Test func `A silent client in a tunnel is disconnected`() {
        var state = ClientConnectionState()
        state.tunnelAccepted(to: Self.origin, of: nil)
        #expect(state.headIsLate(waiting: 0, isWritable: true) == .close)
        if case .close = state.inputClosed() {} else { Issue.record("it is waited for") }
    }

    // MARK: Late and last

    @Test func `A late head is refused, unless the client still reads answers`() {
        let state = ClientConnectionState()
        #expect(state.headIsLate(waiting: 10, isWritable: true) == .refuse)
        #expect(state.headIsLate(waiting: 10, isWritable: false) == .waitOn)
        #expect(state.headIsLate(waiting: 0, isWritable: true) == .close)
        #expect(Self.answering().headIsLate(waiting: 10, isWritable: true) == .none)
        #expect(Self.answering(bodyIsRead: false).headIsLate(waiting: 10, isWritable: true) == .none)
    }

    @Test func `A stopping deck finishes an answer, and closes idle connections`() {
        var idle = ClientConnectionState()
        if case .closeWhenWritten = idle.stop(waiting: 0) {} else { Issue.record("it stays open") }
        var busy = Self.answering()
        if case .hurry = busy.stop(waiting: 0) {} else { Issue.record("the answer is cut off") }
        // No unread bytes remain that a close would reset.
        #expect(busy.answerEnded(.complete, closes: false, waiting: 0) == .close(atOnce: true))
        var waiting = ClientConnectionState()
        if case .hurry = waiting.stop(waiting: 10) {} else { Issue.record("a request that has begun is dropped") }
        var tunnel = ClientConnectionState()
        tunnel.tunnelAccepted(to: Self.origin, of: nil)
        if case .closeNow = tunnel.stop(waiting: 0) {} else { Issue.record("an empty tunnel stays") }
        var joined = ClientConnectionState()
        joined.joined(with: Peer())
        if case .finishBoth = joined.stop(waiting: 0) {} else { Issue.record("a joined tunnel is not finished") }
    }

    @Test func `A connection with unread bytes waits for its client to close, also in a deck that stops`() {
        var state = Self.answering(bodyIsRead: false)
        _ = state.stop(waiting: 0)
        #expect(state.answerEnded(.complete, closes: true, waiting: 0) == .close(atOnce: false))
        if case .hurry = state.stop(waiting: 0) {} else { Issue.record("it is closed at once") }
    }
}
