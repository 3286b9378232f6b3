import NIOCore
import TapedeckCore

/// Notes the order in which the messages of a call come, while it is recorded.
struct CallRecording {
    /// True for gRPC, in which both sides may send at a time; of the others, the order is not recorded.
    let isTwoWay: Bool
    private var request = MessageCounter()
    private var isWhole = false
    private var answer = MessageCounter()
    private var order = MessageOrder()

    init(isTwoWay: Bool) {
        self.isTwoWay = isTwoWay
    }

    /// The end of the last whole message of the request in its body.
    private(set) var requestEnd = 0
    /// The number of whole messages of the answer.
    var answered: Int { self.answer.count }

    /// Takes the next bytes of the request.
    mutating func requestBody(_ bytes: ByteBuffer) {
        let ends = bytes.withUnsafeReadableBytes { self.request.take($0) }
        self.requestEnd = ends.last ?? self.requestEnd
    }

    mutating func endRequest() {
        self.isWhole = true
    }

    /// Takes the next bytes of the answer.
    mutating func body(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { _ = self.answer.take($0) }
        while self.order.messages.count < self.answer.begun { self.order.messages.append(self.place) }
    }

    /// Ends the answer. Returns the order, unless all of the answer came after the whole request.
    mutating func end() -> MessageOrder? {
        self.order.end = self.place
        return self.order.isPlain || !self.isTwoWay ? nil : self.order
    }

    /// Ends the answer where its client left, after its last whole message.
    mutating func endEarly() -> MessageOrder? {
        self.order.messages.removeLast(self.answer.begun - self.answer.count)
        return self.end()
    }

    private var place: Int? { self.isWhole ? nil : self.request.count }
}
