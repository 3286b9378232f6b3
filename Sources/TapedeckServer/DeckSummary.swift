import TapedeckCassettes
import TapedeckCore
import TapedeckProxy

/// What a run of the deck comes to, in lines for a terminal.
package struct DeckSummary: Sendable {
    private let report: DeckReport

    package init(_ report: DeckReport) {
        self.report = report
    }

    /// The lines of the summary; the first says it all, the others say what needs attention.
    package var lines: [String] {
        [self.headline] + self.recordingLines + self.troubleLines + self.unmatchedLines
    }

    private var headline: String {
        let session = self.report.session
        let connections = Self.count(self.report.connectionsOpened, "connection", "connections")
        var parts: [String] = []
        if session.mode.plays { parts.append("\(Self.count(session.played, "request", "requests")) played") }
        if let saved = self.report.saved {
            parts.append("\(Self.count(saved.exchanges, "exchange", "exchanges")) recorded")
        }
        if session.mode == .passthrough {
            parts.append("\(Self.count(session.forwarded, "request", "requests")) passed through")
        }
        if session.mode == .replay { parts.append("\(session.unmatchedCount) unmatched") }
        parts.append("\(connections) opened upstream")
        return "\(session.mode.rawValue): " + parts.joined(separator: ", ")
    }

    private var recordingLines: [String] {
        guard let saved = self.report.saved, let cassette = self.report.cassettes.first else { return [] }
        var lines: [String] = []
        if let failure = self.report.recordingFailure {
            lines.append("recording stopped early: \(failure)")
        }
        if saved.lost > 0 {
            lines.append("\(Self.count(saved.lost, "exchange is", "exchanges are")) lost: a body file left the journal")
        }
        if saved.exchanges == 0 {
            lines.append("nothing was recorded, so \(cassette.path) is as it was")
        } else {
            lines.append(saved.changed ? "wrote \(cassette.path)" : "\(cassette.path) is unchanged")
        }
        return lines
    }

    private var troubleLines: [String] {
        self.report.session.troubles.map { trouble in
            if let failure = trouble.failure {
                return "failed: \(trouble.request): \(failure)"
            }
            return "not recorded: \(trouble.request): \(trouble.notRecorded ?? "")"
        }
    }

    private var unmatchedLines: [String] {
        let session = self.report.session
        var lines = session.unmatched.flatMap { report in
            ["unmatched: \(report.request)", "           \(report.summary)"]
        }
        let left = session.unmatchedCount - session.unmatched.count
        if left > 0 { lines.append("and \(left) more unmatched") }
        if let first = session.unmatched.first { lines.append("to record what is missing: \(first.remedy)") }
        return lines
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
