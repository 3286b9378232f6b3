import Synchronization

/// How far a recording is saved, for a terminal. Each exchange is read, then written.
package final class SavingProgress: Sendable {
    private let steps = Atomic<Int>(0)
    private let total = Atomic<Int>(0)

    package init() {}

    func note(read: Int, _ recording: RecordingJournal.Recording) {
        self.total.store(recording.records.count * 2, ordering: .relaxed)
        self.steps.store(read, ordering: .relaxed)
    }

    func note(written: Int, _ recording: RecordingJournal.Recording) {
        self.steps.store(recording.records.count + written, ordering: .relaxed)
    }

    /// For example "83 of 200", an exchange that is only read counting as half; `nil` before there is anything to save.
    package var text: String? {
        let total = self.total.load(ordering: .relaxed)
        return total == 0 ? nil : "\(min(total, self.steps.load(ordering: .relaxed)) / 2) of \(total / 2)"
    }
}
