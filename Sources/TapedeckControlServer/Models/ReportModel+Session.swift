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
        self.saved = ended.saved.map { RecordingModel($0, cassette: ended.cassette?.name ?? "") }
        self.saveFailure = ended.saveFailure
    }
}

extension RecordingModel {
    /// A recording that is saved.
    init(_ saved: CassetteStore.Saved, cassette: String) {
        self.init(cassette: cassette, exchanges: saved.exchanges)
        self.changed = saved.changed
        self.failure = saved.failure
        var leftOut = saved.notRedacted
        if saved.lost > 0 { leftOut.append("\(saved.lost) exchanges: files of the recording's journal are gone") }
        self.leftOut = leftOut.isEmpty ? nil : leftOut
        let effect = saved.effect.lines
        self.effect = effect.isEmpty ? nil : effect
        self.isAllFailed = saved.effect.isAllFailed ? true : nil
    }
}

extension ForwardedRequest {
    fileprivate var problem: String {
        if let failure = self.failure { return "\(failure)" }
        return self.notRecorded.map { "not recorded: \($0)" } ?? ""
    }
}
