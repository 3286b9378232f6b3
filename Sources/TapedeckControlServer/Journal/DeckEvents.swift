import NIOCore
import TapedeckSessions

/// The beginnings and ends of sessions, as an event stream.
struct DeckEvents: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// Pieces follow each other no faster than this.
    private static let pause = Duration.milliseconds(50)

    let sessions: SessionDirectory
    let heartbeat: Duration
    let ending: ChangeSignal
    /// Held for as long as there is the stream.
    let slot: LongRequests.Slot

    func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        private let events: DeckEvents
        /// The state of affairs that the client knows; `nil` before the first event.
        private var version: Int?

        fileprivate init(events: DeckEvents) {
            self.events = events
        }

        mutating func next() async throws -> ByteBuffer? {
            let changes = self.events.sessions.changes
            if let version = self.version {
                try await Task.sleep(for: DeckEvents.pause)
                await changes.wait(after: version, atMost: self.events.heartbeat, ending: self.events.ending)
            }
            guard !Task.isCancelled, !self.events.ending.isClosed, !changes.isClosed else { return nil }
            let version = changes.version
            guard version != self.version else { return ByteBuffer(bytes: EventStream.heartbeat) }
            self.version = version
            let count = self.events.sessions.count
            return ByteBuffer(bytes: try EventStream.text("sessions", id: version, SessionCountModel(count: count)))
        }
    }
}
