package import TapedeckCore

/// The rules for recording, of all sessions of a deck.
package struct RecordingRules: Sendable, Equatable {
    /// Asked for each tunnel and for each request, before the tape.
    package var hosts = HostRules()
    /// Asked for each exchange that is being recorded.
    package var filter = RecordingFilter()
    /// True if failures are recorded in the place of answers, too.
    package var failuresReplaceAnswers = false

    package init() {}

    package init(_ settings: RecordSettings) {
        self.hosts = settings.hosts
        self.filter = settings.filter
        self.failuresReplaceAnswers = settings.recordsFaults == true
    }
}
