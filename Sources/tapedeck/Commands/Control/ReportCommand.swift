import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckCore

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the report of a running or ended session."
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: SessionOptions

    func run() throws {
        try ExitStatus.reporting {
            let report = try self.options.session().report()
            try self.output.print(report, or: ReportText(report).text)
        }
    }
}

/// A session's report, for a terminal.
struct ReportText {
    private let report: ReportModel

    init(_ report: ReportModel) {
        self.report = report
    }

    var text: String {
        let report = self.report
        var lines = [self.headline]
        if let ended = report.ended {
            lines.append("ended at \(ended)\(report.wasIdle == true ? ", because it was idle" : "")")
        }
        if let saved = report.saved { lines += RecordingText(saved).lines }
        if let failure = report.saveFailure { lines.append("the recording could not be saved: \(failure)") }
        if !report.faults.isEmpty {
            let faults = report.faults.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
            lines.append("faults shown: \(faults.joined(separator: ", "))")
        }
        lines += report.troubles.map { "\($0.request): \($0.message)" }
        lines += report.notRecorded ?? []
        for unmatched in report.unmatched {
            lines += ["unmatched: \(unmatched.request)", "           \(unmatched.message)"]
        }
        let left = report.unmatchedRequests - report.unmatched.count
        if left > 0 { lines.append("and \(left) more unmatched") }
        lines += report.cutOffSets.map { set in
            "the pattern of \"\(set)\" took too long for some request and was cut off; make it simpler"
        }
        if let seed = report.seed { lines.append("seed \(seed)") }
        return (lines + self.unused).joined(separator: "\n")
    }

    private var headline: String {
        let report = self.report
        let parts = [
            "\(Self.count(report.played, "request")) played", "\(report.forwarded) passed on",
            "\(report.unmatchedRequests) unmatched",
            "\(Self.count(report.connectionsOpened, "connection")) opened upstream",
        ]
        return "\(report.id) (\(report.mode)): " + parts.joined(separator: ", ")
    }

    /// Sets that no request reached: not an error, but a typing mistake looks the same.
    private var unused: [String] {
        let report = self.report
        // In other modes sets are not played, including those just recorded.
        guard ["replay", "append"].contains(report.mode) else { return [] }
        let wasAsked = report.played > 0 || report.forwarded > 0 || report.unmatchedRequests > 0
        guard wasAsked, !report.unusedSets.isEmpty else { return [] }
        return ["never requested: \(Spelling.list(report.unusedSets))"]
    }

    static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }
}
