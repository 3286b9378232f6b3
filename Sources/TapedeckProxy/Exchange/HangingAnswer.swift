/// The answer that never comes (`fault: hang`): lasts until the client is gone or the deck stops.
final class HangingAnswer: AnswerUnderWay {
    private let close: () -> Void

    init(close: @escaping () -> Void) {
        self.close = close
    }

    func cancel() {}

    func hurry() {
        self.close()
    }

    /// Closing a socket and closing its sending side look the same, and there is no answer to wait for.
    func clientFinishedSending() {
        self.close()
    }
}

@available(*, unavailable)
extension HangingAnswer: Sendable {}
