import NIOCore

/// Sends what the connections of an event loop have written at the end of the loop's turn, all at once.
///
/// Bytes wake up a program that waits for them, and waking it costs more than sending them. In a turn with many events the
/// first bytes wake it, and those of the others find it awake. A turn with one event sends nothing later than without this.
final class TurnFlushes {
    private let eventLoop: any EventLoop
    private var waiting: [any FlushedByTurn] = []

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Flushes a connection at the end of this turn; adding it again before that costs nothing.
    func add(_ connection: any FlushedByTurn) {
        guard !connection.isFlushDue else { return }
        connection.isFlushDue = true
        self.waiting.append(connection)
        if self.waiting.count == 1 { self.eventLoop.assumeIsolated().execute { self.flush() } }
    }

    private func flush() {
        let connections = self.waiting
        self.waiting.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isFlushDue = false
            connection.context?.flush()
        }
    }
}

/// A connection that ``TurnFlushes`` flushes.
protocol FlushedByTurn: AnyObject {
    /// Its place in its channel; `nil` once that is gone.
    var context: ChannelHandlerContext? { get }
    /// True from the moment it was added until it is flushed.
    var isFlushDue: Bool { get set }
}

@available(*, unavailable)
extension TurnFlushes: Sendable {}
