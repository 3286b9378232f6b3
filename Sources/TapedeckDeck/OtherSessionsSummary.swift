import TapedeckCore
import TapedeckSessions

/// The summary of all sessions except the default one; empty if there were none.
struct OtherSessionsSummary {
    private let report: DeckReport
    private let saidReasons: Bool

    init(_ report: DeckReport, saidReasons: Bool) {
        self.report = report
        self.saidReasons = saidReasons
    }

    /// The log has the reason for each.
    private var unsaved: [String] {
        let count = self.report.others.unsavedCount
        guard count > 0 else { return [] }
        let recordings = Plural.text(count, "recording", "recordings")
        return ["\(recordings) could not be saved; the next recording into the same cassette tries again"]
    }

    /// As above.
    private var stopped: [String] {
        let count = self.report.others.stoppedCount
        guard count > 0 else { return [] }
        let recordings = Plural.text(count, "recording was", "recordings were")
        return ["\(recordings) stopped before the end; what they had until then is saved"]
    }

    var lines: [String] {
        let tally = self.report.others
        guard tally.sessions > 0 || self.report.session == nil else { return [] }
        var parts = ["\(Plural.text(tally.played, "request", "requests")) played"]
        if tally.forwarded > 0 {
            parts.append("\(Plural.text(tally.forwarded, "request", "requests")) passed on")
        }
        parts.append("\(tally.unmatchedCount) unmatched")
        // The default session tells it for all.
        if self.report.session == nil {
            parts.append(self.report.connectionsText)
        }
        let headline = "\(Plural.text(tally.sessions, "session", "sessions")): " + parts.joined(separator: ", ")
        let unmatched = tally.unmatched.flatMap { session, report in
            ["unmatched in session \(session): \(report.request)"]
                + (self.saidReasons ? [] : ["           \(report.summary)"])
        }
        let left = tally.unmatchedCount - tally.unmatched.count
        return [headline] + tally.unrecorded.lines + unmatched + (left > 0 ? ["and \(left) more unmatched"] : [])
            + self.stopped + self.unsaved
    }
}
