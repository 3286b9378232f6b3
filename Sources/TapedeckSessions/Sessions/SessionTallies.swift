import TapedeckCore

/// The counters of a session's requests beside the tape, for its report.
struct SessionTallies: Sendable {
    /// Requests that were forwarded.
    private(set) var forwarded = 0
    /// The first of them that people need to know of, at most 100.
    private(set) var troubles: [ForwardedRequest] = []
    /// Traffic that was not recorded because the rules say so.
    var unrecorded = UnrecordedTally()
    /// Faults that were played, by kind.
    var faults: [Fault: Int] = [:]
    /// Connections to origins that were opened for the session.
    var connectionsOpened = 0

    private static let troubleLimit = 100

    /// Counts a request that was forwarded.
    mutating func add(_ outcome: ForwardedRequest) {
        self.forwarded += 1
        if outcome.isWorthTelling, self.troubles.count < Self.troubleLimit { self.troubles.append(outcome) }
    }
}
