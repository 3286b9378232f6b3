package import TapedeckCore

/// The outcome of a request that went to its origin.
package struct ForwardedRequest: Sendable, Equatable {
    package var request: RequestLine
    /// The failure of the exchange, if any.
    package var failure: UpstreamFailure?
    /// The reason why it is not in the cassette although the session records.
    package var notRecorded: String?
    /// True for a complete response that is not in the cassette, so that a replay will miss it.
    package var isLeftOut: Bool

    package init(
        request: RequestLine,
        failure: UpstreamFailure? = nil,
        notRecorded: String? = nil,
        isLeftOut: Bool = false
    ) {
        self.request = request
        self.failure = failure
        self.notRecorded = notRecorded
        self.isLeftOut = isLeftOut
    }

    var isWorthTelling: Bool { self.failure != nil || self.notRecorded != nil }
}

/// A session's report, for the summary at the end.
package struct SessionReport: Sendable {
    package var id: String
    package var name: String
    package var mode: Mode
    /// The seed of random choices; `nil` if nothing was random.
    package var seed: UInt64?
    /// Requests answered from the tape.
    package var played: Int
    /// Requests that went to their origin.
    package var forwarded: Int
    /// The forwarded requests that failed or were not recorded; at most 100.
    package var troubles: [ForwardedRequest]
    /// The responses that the latest recording lacks: the first, at most 100, and the number of all. They were complete,
    /// or still in progress at its end.
    package var leftOut: (first: [ForwardedRequest], count: Int)
    /// The requests that the rules excluded from the recording.
    package var unrecorded: UnrecordedTally
    /// The requests that nothing answered; at most 100.
    package var unmatched: [UnmatchedReport]
    package var unmatchedCount: Int
    /// The sets that never answered, in the order of the tape.
    package var unused: [String]
    /// The sets whose pattern took too long for some request, and was cut off.
    package var cutOff: [String]
    /// The places whose values differed from the recorded ones, each with its set; at most 100.
    package var varied: [String] = []
    /// The faults that clients were shown, and how often.
    package var faults: [(fault: Fault, count: Int)]
    /// Connections to origins that were opened for it.
    package var connectionsOpened: Int
}
