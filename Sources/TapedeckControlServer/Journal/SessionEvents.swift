import NIOCore
import TapedeckControlAPI
import TapedeckSessions

/// The events of a session, as an event stream. Each piece is made when the client has taken the one before, from the
/// journal's content at that moment: a slow client gets fewer and later states, and costs no memory.
struct SessionEvents: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// Entries of one piece, at most.
    private static let pieceLimit = 500
    /// Pieces follow each other no faster than this, so that a burst of requests makes few of them.
    private static let pause = Duration.milliseconds(50)

    let session: Session
    /// Only entries that changed after this version of the journal; `nil` is what is new from now on.
    let after: Int?
    let heartbeat: Duration
    let ending: ChangeSignal
    /// Held for as long as there is the stream.
    let slot: LongRequests.Slot

    func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        private let events: SessionEvents
        /// The version of the last entry that was sent.
        private var version: Int
        /// The number of the newest entry that was there.
        private var seen: Int
        /// The last state that the client got.
        private var shown: SessionModel?
        private var wasBusy = false
        private var isOver = false

        fileprivate init(events: SessionEvents) {
            self.events = events
            let view = events.session.journal.view(limit: 0)
            // A version that is yet to come is one of an earlier run of the deck.
            self.version = events.after.map { $0 > view.version ? 0 : $0 } ?? view.version
            self.seen = self.version == 0 ? 0 : view.seen
        }

        mutating func next() async throws -> ByteBuffer? {
            if self.wasBusy { try await Task.sleep(for: SessionEvents.pause) }
            while !self.isOver, !Task.isCancelled, !self.events.ending.isClosed {
                let session = self.events.session
                // Taken first, so that a change during the look wakes the wait below.
                let version = session.changes.version
                self.isOver = session.isEnded
                var text = try self.look()
                if self.isOver { text += try EventStream.text("ended", SessionEnd(id: session.id)) }
                self.wasBusy = !text.isEmpty
                if self.wasBusy { return ByteBuffer(bytes: text) }
                await session.changes.wait(after: version, atMost: self.events.heartbeat, ending: self.events.ending)
                let isIdle = session.changes.version == version && !session.isEnded
                if isIdle, !self.events.ending.isClosed { return ByteBuffer(bytes: EventStream.heartbeat) }
            }
            return nil
        }

        /// The events that tell what is different now.
        private mutating func look() throws -> [UInt8] {
            var text: [UInt8] = []
            let view = self.events.session.journal.view(after: self.version)
            var model = SessionModel(self.events.session)
            // It would differ every second.
            model.idleSeconds = 0
            if model != self.shown {
                text += try EventStream.text("session", SessionModel(self.events.session))
                self.shown = model
            }
            let missed = view.oldest - 1 - self.seen
            if missed > 0 { text += try EventStream.text("missed", MissedModel(count: missed)) }
            self.seen = Swift.max(self.seen, view.oldest - 1)
            // Oldest change first, so that an interrupted client can continue after the last one.
            let changed = view.entries.sorted { $0.version < $1.version }
            for entry in changed.prefix(SessionEvents.pieceLimit) {
                let model = JournalEntryModel(entry).shown(by: self.events.session, entry)
                text += try EventStream.text("entry", id: entry.version, model)
                self.seen = Swift.max(self.seen, entry.number)
            }
            let isAll = changed.count <= SessionEvents.pieceLimit
            self.version = isAll ? view.version : changed[SessionEvents.pieceLimit - 1].version
            return text
        }
    }
}

/// The data of `ended`.
struct SessionEnd: Codable, Sendable {
    var id: String
}
