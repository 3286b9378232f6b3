package import NIOCore
package import TapedeckCore

/// A request that has reached a session, as the session's journal wants it.
package struct SeenRequest {
    package let session: Session
    package let request: JournalRequest
    /// When its head was complete: by the clock that only goes forward, and by the calendar.
    let start: NIODeadline
    package let time: Instant
    /// The reason why it passes on to its origin unrecorded, unless the tape has an answer; otherwise `nil`.
    package var passing: HostRules.Reason?

    package init(
        session: Session,
        request: JournalRequest,
        start: NIODeadline,
        time: Instant,
        passing: HostRules.Reason? = nil
    ) {
        self.session = session
        self.request = request
        self.start = start
        self.time = time
        self.passing = passing
    }

    /// Since its head was complete.
    package var microseconds: Int { Int((NIODeadline.now() - self.start).nanoseconds / 1_000) }
}
