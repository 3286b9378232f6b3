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
