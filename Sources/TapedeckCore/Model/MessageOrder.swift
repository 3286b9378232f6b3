/// The places of an answer's messages among those of the request, in a call in which both sides send at a time.
package struct MessageOrder: Sendable, Equatable {
    /// For each message of the answer, the number of messages of the request that came before it; `nil` for one that came
    /// after the whole request.
    package var messages: [Int?]
    /// The number of messages of the request that came before the end of the answer; `nil` if the answer ended after the
    /// whole request.
    package var end: Int?

    package init(messages: [Int?] = [], end: Int? = nil) {
        self.messages = messages
        self.end = end
    }

    /// True if all of the answer came after the whole request, as in a call that is no bidirectional one.
    package var isPlain: Bool { self.end == nil && self.messages.allSatisfy { $0 == nil } }

    /// The number of messages of the request after which the answer begins; `nil` if it begins after the whole request.
    package var start: Int? { self.messages.first ?? self.end }
}

extension Take {
    /// The order of the messages of an answer; `nil` if all of it comes after the whole request.
    package var messageOrder: MessageOrder? {
        var order = MessageOrder(end: self.endsAfter)
        if case .inline(let body) = self.body, let list = body.messages { order.messages = list.messages.map(\.after) }
        return order.isPlain ? nil : order
    }
}
