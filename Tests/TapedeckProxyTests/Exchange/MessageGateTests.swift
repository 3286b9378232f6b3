import NIOCore
import TapedeckProtobuf
import Testing

@testable import TapedeckProxy

/// Messages of an answer that wait for those of the request.
@Suite struct MessageGateTests {
    private func message(_ byte: UInt8) -> ByteBuffer { ByteBuffer(bytes: GRPCMessage(bytes: [byte]).frame) }

    @Test func `a message goes out once those before it have come`() {
        let gate = MessageGate()
        var went: [String] = []
        gate.wait(for: 0) { went.append("first") }
        #expect(went == ["first"])
        gate.wait(for: 2) { went.append("second") }
        gate.take(self.message(1))
        #expect(went == ["first"])
        gate.take(self.message(2))
        #expect(went == ["first", "second"])
    }

    @Test func `a message without a number waits for the whole request`() {
        let gate = MessageGate()
        var isOut = false
        gate.wait(for: nil) { isOut = true }
        gate.take(self.message(1))
        #expect(!isOut)
        gate.open()
        #expect(isOut)
    }

    @Test func `a client that sends fewer messages gets the rest at the end of its request`() {
        let gate = MessageGate()
        var isOut = false
        gate.wait(for: 5) { isOut = true }
        gate.open()
        #expect(isOut)
    }

    @Test func `a cancelled message is not sent`() {
        let gate = MessageGate()
        var isOut = false
        gate.wait(for: 1) { isOut = true }
        gate.cancel()
        gate.open()
        #expect(!isOut)
    }
}
