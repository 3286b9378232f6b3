import Synchronization

extension LoopMetrics.Outcome {
    /// Creates the outcome to count for a journal entry.
    init(_ outcome: JournalEntry.Outcome) {
        self =
            switch outcome {
            case .pending: .abandoned
            case .played: .played
            case .forwarded(let isRecorded): isRecorded ? .recorded : .forwarded
            case .unmatched: .unmatched
            case .refused: .refused
            }
    }
}

extension Session {
    /// Its mode as its requests are counted by; no lock.
    package var countedMode: LoopMetrics.Mode {
        LoopMetrics.Mode(rawValue: self.modeNumber.load(ordering: .relaxed)) ?? .none
    }
}
