/// An answer that takes its time. The exchange has one at most, keeps it until its end, and tells it when nobody
/// waits any more. All of it happens on the connection's event loop; nothing holds a thread.
protocol AnswerUnderWay: AnyObject {
    /// The client is gone: nothing more is to be done.
    func cancel()
    /// The deck is stopping: nothing is waited for any more.
    func hurry()
    /// The client sends no more, and may be gone.
    func clientFinishedSending()
}

extension AnswerUnderWay {
    /// An answer that is on its way goes on: a client may have finished sending and still want it.
    func clientFinishedSending() {}
}
