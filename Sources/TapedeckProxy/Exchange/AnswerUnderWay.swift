/// An answer that takes time. The exchange has at most one, keeps it until its end, and cancels it when it is no longer
/// needed. All of it happens on the connection's event loop; no thread waits.
protocol AnswerUnderWay: AnyObject {
    /// Stops, because the client has disconnected.
    func cancel()
    /// The deck is stopping: nothing is waited for any more.
    func hurry()
    /// The client sends no more, and may be gone.
    func clientFinishedSending()
}

extension AnswerUnderWay {
    /// By default the answer continues: a client may have finished sending and still expect it.
    func clientFinishedSending() {}
}
