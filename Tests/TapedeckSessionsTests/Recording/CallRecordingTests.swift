import NIOCore
import TapedeckCore
import TapedeckProtobuf
import Testing

@testable import TapedeckSessions

/// The order of a call's messages as a recording notes it.
@Suite struct CallRecordingTests {
    private let message = ByteBuffer(bytes: GRPCMessage(bytes: [8, 1]).frame)

    @Test func `each message of the answer has the number of messages before it`() {
        var call = CallRecording(isTwoWay: true)
        call.body(self.message)
        call.requestBody(self.message)
        call.body(self.message)
        call.requestBody(self.message)
        call.endRequest()
        call.body(self.message)
        #expect(call.end() == MessageOrder(messages: [0, 1, nil], end: nil))
    }

    @Test func `an answer behind the whole request has no order`() {
        var call = CallRecording(isTwoWay: true)
        call.requestBody(self.message)
        call.endRequest()
        call.body(self.message)
        call.body(self.message)
        #expect(call.end() == nil)
    }

    @Test func `a server may end the call first`() {
        var call = CallRecording(isTwoWay: true)
        call.requestBody(self.message)
        #expect(call.end() == MessageOrder(messages: [], end: 1))
    }

    @Test func `a message counts when its first bytes come`() throws {
        var call = CallRecording(isTwoWay: true)
        var (first, rest) = (self.message, self.message)
        first.moveWriterIndex(to: 3)
        rest.moveReaderIndex(forwardBy: 3)
        call.body(first)
        call.requestBody(self.message)
        call.body(rest)
        #expect(call.end() == MessageOrder(messages: [0], end: 1))
    }
}
