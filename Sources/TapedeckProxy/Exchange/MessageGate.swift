import NIOCore
import TapedeckCore

/// Holds the messages of an answer back until those of the request have come that they wait for.
final class MessageGate {
    private var request = MessageCounter()
    private var isWhole = false
    private var waiting: (count: Int?, goOn: () -> Void)?

    init() {}

    /// Takes the next bytes of the request.
    func take(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { _ = self.request.take($0) }
        self.check()
    }

    /// The request is complete, or is not waited for any more.
    func open() {
        self.isWhole = true
        self.check()
    }

    /// Returns true once so many messages have come; `nil` is the whole request.
    func isOpen(_ count: Int?) -> Bool {
        self.isWhole || count.map { self.request.count >= $0 } ?? false
    }

    /// Calls `goOn` once so many messages have come; `nil` is the whole request.
    func wait(for count: Int?, _ goOn: @escaping () -> Void) {
        self.waiting = (count, goOn)
        self.check()
    }

    func cancel() {
        self.waiting = nil
    }

    private func check() {
        guard let waiting = self.waiting, self.isOpen(waiting.count) else { return }
        self.waiting = nil
        waiting.goOn()
    }
}

@available(*, unavailable)
extension MessageGate: Sendable {}
