import NIOCore
import TapedeckCore

/// A request that has reached a session, as the session's journal wants it.
struct SeenRequest {
    let session: Session
    let request: JournalRequest
    /// When its head was complete: by the clock that only goes forward, and by the calendar.
    let start: NIODeadline
    let time: Instant
    /// Why it passes on to its origin unrecorded, unless the tape has an answer; `nil` where it does not.
    var passing: HostRules.Reason?

    /// Since its head was complete.
    var microseconds: Int { Int((NIODeadline.now() - self.start).nanoseconds / 1_000) }
}
