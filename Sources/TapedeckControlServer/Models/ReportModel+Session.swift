import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension ReportModel {
    init(_ report: SessionReport) {
        self.init(id: report.id, name: report.name, mode: report.mode.rawValue)
        self.seed = report.seed
        self.played = report.played
        self.forwarded = report.forwarded
        self.unmatchedRequests = report.unmatchedCount
        self.unmatched = report.unmatched.map { unmatched in
            Unmatched(
                request: unmatched.request.description,
                reason: unmatched.reasonName,
                message: unmatched.summary
            )
        }
        self.troubles = report.troubles.map { trouble in
            Trouble(request: trouble.request.description, message: trouble.problem)
        }
        let notRecorded = report.unrecorded.lines
        self.notRecorded = notRecorded.isEmpty ? nil : notRecorded
        self.unusedSets = report.unused
        self.cutOffSets = report.cutOff
        self.faults = Dictionary(report.faults.map { ($0.fault.rawValue, $0.count) }) { $0 + $1 }
        self.connectionsOpened = report.connectionsOpened
    }

    init(_ ended: SessionDirectory.Ended) {
        self.init(ended.report)
        self.ended = ended.time.rfc3339
        self.wasIdle = ended.wasIdle
        self.saved = ended.saved.map {
            RecordingModel(
                $0,
                cassette: ended.cassette?.name ?? "",
                path: ended.cassette?.path,
                ended.report.leftOut.first
            )
        }
        self.saveFailure = ended.saveFailure
    }
}

extension RecordingModel {
    /// A recording that is saved.
    ///
    /// - Parameters:
    ///   - path: the cassette's file, for the first line.
    ///   - missing: the complete responses that it lacks.
    init(_ saved: CassetteStore.Saved, cassette: String, path: String? = nil, _ missing: [ForwardedRequest] = []) {
        self.init(cassette: cassette, exchanges: saved.exchanges)
        self.changed = saved.changed
        self.failure = saved.failure
        var leftOut = saved.notRedacted
        if saved.lost > 0 { leftOut.append("\(saved.lost) exchanges: files of the recording's journal are gone") }
        self.leftOut = leftOut.isEmpty ? nil : leftOut
        let exchanges = Plural.text(saved.exchanges, "exchange", "exchanges")
        let change = saved.changed ? "wrote" : "did not change"
        // Sets that this session did not request may be those of other tests.
        var effect = saved.effect
        effect.untouched = []
        self.lines = ["\(change) \(path ?? cassette): \(exchanges) recorded"] + effect.lines
        let missing = missing.map { "not recorded: \($0.request): \($0.notRecorded ?? "")" }
        let problems = saved.effect.failures.map(\.line) + missing + (self.leftOut ?? []).map { "not recorded: \($0)" }
        self.problems = problems.isEmpty ? nil : problems
        self.isAllFailed = saved.effect.isAllFailed ? true : nil
    }
}

extension ForwardedRequest {
    fileprivate var problem: String {
        if let failure = self.failure { return "\(failure)" }
        return self.notRecorded.map { "not recorded: \($0)" } ?? ""
    }
}
