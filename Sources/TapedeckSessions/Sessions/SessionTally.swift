import TapedeckCassettes
package import TapedeckCore

/// The totals of ended sessions, for the summary at the end.
package struct SessionTally: Sendable {
    /// The number of sessions.
    package private(set) var sessions = 0
    /// Requests answered from a tape.
    package private(set) var played = 0
    /// Requests that went to their origin.
    package private(set) var forwarded = 0
    package private(set) var unmatchedCount = 0
    /// The first of the requests that nothing answered, with the id of their session; at most 20.
    package private(set) var unmatched: [(session: String, report: UnmatchedReport)] = []

    /// Recordings that could not be saved; what was recorded is still in their journals.
    package private(set) var unsavedCount = 0

    /// Recordings that are saved, but were stopped before their time.
    package private(set) var stoppedCount = 0

    /// The requests that the rules excluded from their recordings.
    package private(set) var unrecorded = UnrecordedTally()

    private static let keptUnmatched = 20

    mutating func add(_ ended: SessionDirectory.Ended) {
        let report = ended.report
        if ended.saveFailure != nil { self.unsavedCount += 1 }
        if ended.saved?.failure != nil { self.stoppedCount += 1 }
        self.sessions += 1
        self.played += report.played
        self.unrecorded.add(report.unrecorded)
        self.forwarded += report.forwarded
        self.unmatchedCount += report.unmatchedCount
        let free = Self.keptUnmatched - self.unmatched.count
        self.unmatched += report.unmatched.prefix(max(0, free)).map { (report.id, $0) }
    }
}

/// The counters of a session's requests other than those of the tape, for its report.
struct SessionTallies: Sendable {
    /// Requests that were forwarded.
    private(set) var forwarded = 0
    /// The first unusual outcomes, at most 100.
    private(set) var troubles: [ForwardedRequest] = []
    /// Traffic that was not recorded because the rules say so.
    var unrecorded = UnrecordedTally()
    /// Faults that were played, by kind.
    var faults: [Fault: Int] = [:]
    /// Connections to origins that were opened for the session.
    var connectionsOpened = 0

    /// The responses that the recording lacks, since it began: the first, at most 100, and the number of all. They were
    /// complete, or still in progress at its end.
    private(set) var leftOut: (first: [ForwardedRequest], count: Int) = ([], 0)

    private static let troubleLimit = 100

    /// True if no answer was left out of the recording.
    var hasEveryAnswer: Bool { self.leftOut.count == 0 && self.troubles.isEmpty && self.unrecorded.leftOutCount == 0 }

    /// A recording begins.
    mutating func noteRecording() { self.leftOut = ([], 0) }

    /// Counts the exchanges that were in progress when the recording ended.
    ///
    /// - Parameter abandoned: those whose clients were gone, so that no program has missed the answer.
    mutating func noteInterrupted(_ requests: [RequestLine], abandoned: [RequestLine]) {
        for request in abandoned.prefix(max(0, Self.troubleLimit - self.troubles.count)) {
            self.troubles.append(ForwardedRequest(request: request, notRecorded: Recorder.stoppedEarly))
        }
        self.leftOut.count += requests.count
        for request in requests.prefix(max(0, Self.troubleLimit - self.leftOut.first.count)) {
            self.leftOut.first.append(ForwardedRequest(request: request, notRecorded: Recorder.stoppedEarly))
        }
    }

    /// Counts a request that was forwarded.
    mutating func add(_ outcome: ForwardedRequest) {
        self.forwarded += 1
        if outcome.isLeftOut {
            self.leftOut.count += 1
            if self.leftOut.first.count < Self.troubleLimit { self.leftOut.first.append(outcome) }
        }
        if outcome.isWorthTelling, self.troubles.count < Self.troubleLimit { self.troubles.append(outcome) }
    }
}
