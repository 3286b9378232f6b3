import NIOCore

/// Something that begins after a while, unless it is to begin at once or not at all.
final class DelayedStart {
    private var begin: (() -> Void)?
    private var timer: Scheduled<Void>?

    /// Without a delay it begins before this returns.
    ///
    /// - Parameter delay: in milliseconds.
    init(after delay: Int, on eventLoop: any EventLoop, begin: @escaping () -> Void) {
        guard delay > 0 else {
            begin()
            return
        }
        self.begin = begin
        let delay = TimeAmount.milliseconds(Int64(delay))
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: delay) { self.hurry() }
    }

    /// True if it has not begun.
    var isWaiting: Bool { self.begin != nil }

    /// Begins now if it has not begun.
    func hurry() {
        self.timer?.cancel()
        self.timer = nil
        let begin = self.begin
        self.begin = nil
        begin?()
    }

    /// It never begins if it has not begun.
    func cancel() {
        self.timer?.cancel()
        self.timer = nil
        self.begin = nil
    }
}

@available(*, unavailable)
extension DelayedStart: Sendable {}
