/// The mode of a session.
package enum Mode: String, Sendable, CaseIterable {
    /// Plays what is on tape and never dials out; what is not on tape is refused.
    case replay
    /// Asks the origin every time and rewrites the cassette's recorded takes.
    case record
    /// Plays what is on tape, asks the origin for what is missing and records it.
    case append
    /// Asks the origin every time and records nothing.
    case passthrough

    /// True if requests may be answered from the tape.
    package var plays: Bool { self == .replay || self == .append }
    /// True if exchanges with the origin are recorded.
    package var records: Bool { self == .record || self == .append }
    /// True if origins may be contacted at all.
    package var dialsOut: Bool { self != .replay }
}
