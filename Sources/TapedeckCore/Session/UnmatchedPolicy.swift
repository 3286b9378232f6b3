/// What a session does about a request that nothing on tape answers.
package enum UnmatchedPolicy: Sendable, Equatable {
    /// It gets a 501 that says why.
    case fail
    /// It goes to its origin, and is not recorded. Not in `replay`.
    case passthrough
    /// It goes to its origin, and is recorded. Not in `replay`.
    case record
    /// It gets this answer, and still counts as unmatched.
    case respond(Take)

    /// Whether a session of `mode` can have it: `replay` asks no origin, and only what records can record.
    package func suits(_ mode: Mode) -> Bool {
        switch self {
        case .fail, .respond: mode.plays
        case .passthrough: mode == .append
        case .record: mode == .append
        }
    }
}
