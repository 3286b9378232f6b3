import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

/// The summary of a run, as lines for a terminal.
package struct DeckSummary: Sendable {
    /// The first says it all, the others say what needs attention.
    package let lines: [String]

    /// - Parameters:
    ///   - ranCommand: true if the deck ran a command, which should have sent requests.
    ///   - saidReasons: true if the log has the reason for each unmatched request, so that it is not repeated.
    package init(_ report: DeckReport, ranCommand: Bool = false, saidReasons: Bool = false) {
        let own =
            report.session.map {
                SessionSummary(session: $0, report: report, saidReasons: saidReasons).lines
            } ?? []
        self.lines =
            own + OtherSessionsSummary(report, saidReasons: saidReasons).lines
            + MissedClients(report, ranCommand: ranCommand).lines
    }

    /// Returns a line about repeating the same random choices.
    package static func seedLine(_ seed: UInt64) -> String {
        "seed \(seed) (give --seed \(seed) to have the same order again)"
    }
}

/// The summary of the session of requests that name none.
private struct SessionSummary {
    let session: SessionReport
    let report: DeckReport
    let saidReasons: Bool

    /// A session tells of no more of its troubles.
    private static let toldTroubles = 100

    var lines: [String] {
        [self.headline] + self.seedLines + self.recordingLines + self.session.unrecorded.lines
            + self.troubleLines + self.unmatchedLines
            + self.cutOffLines + self.unusedLines + self.learnedLines
    }

    private var learnedLines: [String] {
        let learned = self.report.learned
        guard !learned.lines.isEmpty else { return learned.failures }
        let count = Plural.text(learned.lines.count, "place varies", "places vary")
        return ["learned that \(count), noted in \(learned.paths.joined(separator: ", ")):"]
            + learned.lines.map { "  \($0)" } + learned.failures
    }

    private var headline: String {
        let session = self.session
        var parts: [String] = []
        if session.mode.plays { parts.append("\(Plural.text(session.played, "request", "requests")) played") }
        if let saved = self.report.saved {
            parts.append("\(Plural.text(saved.exchanges, "exchange", "exchanges")) recorded")
        }
        if session.mode == .passthrough || self.passedThrough > 0 {
            parts.append("\(Plural.text(self.passedThrough, "request", "requests")) passed through")
        }
        if session.mode == .replay { parts.append("\(session.unmatchedCount) unmatched") }
        if session.unrecorded.blockedCount > 0 { parts.append("\(session.unrecorded.blockedCount) blocked") }
        if session.unrecorded.refusedCount > 0 { parts.append("\(session.unrecorded.refusedCount) refused") }
        parts.append(self.report.connectionsText)
        return "\(session.mode.rawValue): " + parts.joined(separator: ", ")
    }

    /// Requests that the live server answered without being recorded: those neither in the journal nor left out of it
    /// for a listed reason.
    private var passedThrough: Int {
        let session = self.session
        guard session.mode.records else { return session.forwarded }
        let byRule = session.unrecorded.passedRequests
        // With a full list of troubles, or an abandoned journal, they cannot be distinguished.
        guard session.mode == .append, let saved = self.report.saved, self.report.recordingFailure == nil,
            session.troubles.count < Self.toldTroubles
        else { return byRule }
        let left = session.troubles.count { $0.notRecorded != nil }
        let recorded = saved.exchanges + saved.lost + saved.effect.unwritten
        return max(0, session.forwarded - recorded - left - session.unrecorded.leftOutCount)
    }

    private var recordingLines: [String] {
        guard let saved = self.report.saved, let cassette = self.report.cassettes.first else { return [] }
        var lines: [String] = []
        if let failure = self.report.recordingFailure {
            lines.append(failure)
        }
        let unsearched = self.report.unsearched
        if unsearched.count > 0 {
            let bodies = Plural.text(unsearched.count, "exchange has a body", "exchanges have bodies")
            lines.append("\(bodies) too large to be searched for secrets, recorded all the same:")
            lines += unsearched.lines.map { "  \($0)" }
        }
        if saved.lost > 0 {
            let exchanges = Plural.text(saved.lost, "exchange is", "exchanges are")
            lines.append("\(exchanges) lost: somebody removed a file with a body from \(cassette.journalFolder)")
        }
        if saved.journalWasRemoved {
            lines.append("somebody removed \(cassette.journalFolder) while it recorded; what was still open is saved")
        }
        if saved.hasNothing {
            lines.append(NothingRecorded(self.report, at: cassette.path).line)
        } else {
            lines.append(saved.changed ? "wrote \(cassette.path)" : "\(cassette.path) is unchanged")
            if saved.unknown.count > 0 {
                let words = Plural.text(saved.unknown.count, "word looks", "words look")
                let secrets = saved.unknown.count == 1 ? "a secret" : "secrets"
                lines.append("\(words) like \(secrets) that no rule knows; tapedeck scan \(cassette.name) lists them")
            }
            if saved.unknown.fileCount > 0 {
                let files = Plural.text(saved.unknown.fileCount, "file holds", "files hold")
                lines.append("\(files) secrets, and \(saved.unknown.fileCount == 1 ? "stays" : "stay") as received:")
                lines += saved.unknown.files.map { "  \($0)" }
                let left = saved.unknown.fileCount - saved.unknown.files.count
                if left > 0 { lines.append("  and \(left) more") }
            }
        }
        return lines + saved.effect.lines
    }

    private var troubleLines: [String] {
        self.session.troubles.map { trouble in
            if let failure = trouble.failure {
                let isLeftOut = failure.isOfProxy && trouble.notRecorded != nil
                return "failed\(isLeftOut ? ", not recorded" : ""): \(trouble.request): \(failure)"
            }
            return "not recorded: \(trouble.request): \(trouble.notRecorded ?? "")"
        }
    }

    private var unmatchedLines: [String] {
        let session = self.session
        // A client that tries again sends one request several times.
        var counted: [(report: UnmatchedReport, count: Int)] = []
        for report in session.unmatched {
            if let place = counted.firstIndex(where: { $0.report == report }) {
                counted[place].count += 1
            } else {
                counted.append((report, 1))
            }
        }
        var lines = counted.flatMap { report, count in
            ["unmatched: \(report.request)\(count == 1 ? "" : " (\(count) times)")"]
                + (self.saidReasons ? [] : ["           \(report.summary)"])
                + (report.ignoring.map { ["           \($0)"] } ?? [])
        }
        let left = session.unmatchedCount - session.unmatched.count
        if left > 0 { lines.append("and \(left) more unmatched") }
        var remedies: [String] = []
        for report in session.unmatched where !remedies.contains(report.answering) {
            remedies.append(report.answering)
        }
        return lines + remedies.map { $0.prefix(1).lowercased() + $0.dropFirst() }
    }

    private var seedLines: [String] {
        let session = self.session
        return session.mode.plays ? session.seed.map { [DeckSummary.seedLine($0)] } ?? [] : []
    }

    private var cutOffLines: [String] {
        self.session.cutOff.map { set in
            "the pattern of \"\(set)\" took too long for some request and was cut off; make it simpler"
        }
    }

    /// Sets that no request reached: not an error, but a typing mistake looks the same.
    private var unusedLines: [String] {
        let session = self.session
        let wasAsked = session.played > 0 || session.forwarded > 0 || session.unmatchedCount > 0
        guard session.mode.plays, wasAsked, !session.unused.isEmpty else { return [] }
        return ["never requested: \(Spelling.list(session.unused))"]
    }

}
