import TapedeckSessions

/// The answer of a request that is held: comes when somebody lets the request go.
final class HeldAnswer: AnswerUnderWay {
    // They hold each other until the request is let go or withdrawn.
    private let exchange: Exchange
    private let request: ParkedRequest

    init(_ request: ParkedRequest, of exchange: Exchange) {
        self.exchange = exchange
        self.request = request
    }

    func cancel() {
        self.exchange.session.withdraw(self.request)
    }

    /// Nobody would let it go any more.
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
