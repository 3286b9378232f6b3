package import TapedeckCore

/// How a request in `replay` may be answered that nothing on tape matches.
package struct ReplayRules: Sendable {
    /// True if a request must equal the recorded one in all values.
    package var isExact = false
    /// True if a request that differs from a recorded one is answered as that one, and what differs is noted in the cassette.
    package var learns = false
    /// True if CORS preflights that are not on tape are answered by what the tape has for their requests.
    package var answersPreflights = true
    /// True if no client waits: polls are shortened, and fields such as Retry-After say zero.
    package var isFast = false
    /// The offset of the clock of the program under test to this machine's, in milliseconds; positive if it is ahead.
    package var clockOffset: Int64 = 0
    /// The surroundings of the program under test, whose values replace recorded ones.
    package var surroundings: Surroundings

    package init(surroundings: Surroundings = Surroundings()) {
        self.surroundings = surroundings
    }
}
