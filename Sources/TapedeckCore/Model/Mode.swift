/// The mode of a session.
package enum Mode: String, Sendable, CaseIterable {
    /// Plays the tape and never connects; refuses all other requests.
    case replay
    /// Asks the origin every time and rewrites the cassette's recorded takes.
    case record
    /// Plays the tape, and forwards and records all other requests.
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

/// A session's treatment of unmatched requests.
package enum UnmatchedPolicy: Sendable, Equatable {
    /// It gets a 501 that says why.
    case fail
    /// It goes to its origin, and is not recorded. Not in `replay`.
    case passthrough
    /// It goes to its origin, and is recorded. Not in `replay`.
    case record
    /// It gets this answer, and still counts as unmatched.
    case respond(Take)

    /// Returns true if a session of `mode` can have it: `replay` contacts no origin, and only recording modes can
    /// record.
    package func suits(_ mode: Mode) -> Bool {
        switch self {
        case .fail, .respond: mode.plays
        case .passthrough: mode == .append
        case .record: mode == .append
        }
    }
}
