import TapedeckSessions

/// The answer of a held request, which comes when the request is released.
final class HeldAnswer: AnswerUnderWay {
    // They reference each other until the request is released or withdrawn.
    private let exchange: Exchange
    private let request: ParkedRequest

    init(_ request: ParkedRequest, of exchange: Exchange) {
        self.exchange = exchange
        self.request = request
    }

    func cancel() {
        self.exchange.session.withdraw(self.request)
    }

    /// A stopping deck releases nothing.
    func hurry() {
        self.exchange.stream.closeNow()
    }

    /// As with ``StagedAnswer``: a client that gave up and one that only closed its sending side look the same.
    func clientFinishedSending() {
        self.cancel()
        self.exchange.abandon()
    }
}

@available(*, unavailable)
extension HeldAnswer: Sendable {}
