import TapedeckSessions

/// The answer of a request that is held: comes when somebody lets the request go.
final class HeldAnswer: AnswerUnderWay {
    // They hold each other until the request is let go or withdrawn.
    private let connection: ClientConnection
    private let session: Session
    private let request: HeldRequest

    init(_ request: HeldRequest, of session: Session, connection: ClientConnection) {
        self.connection = connection
        self.session = session
        self.request = request
    }

    func cancel() {
        self.session.withdraw(self.request)
    }

    /// Nobody would let it go any more.
    func hurry() {
        self.connection.closeNow()
    }

    /// As with ``StagedAnswer``: a client that gave up and one that only closed its sending side look the same.
    func clientFinishedSending() {
        self.cancel()
        self.connection.abandonAnswer()
    }
}

@available(*, unavailable)
extension HeldAnswer: Sendable {}
