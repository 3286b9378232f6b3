import Synchronization

/// The number of current and past recordings, of all sessions of a deck.
package final class RecordingCounts: Sendable {
    private let started = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)

    package init() {}

    func noteStart() {
        self.started.wrappingAdd(1, ordering: .relaxed)
    }

    /// A recording is over: saved, or not.
    func noteEnd() {
        self.ended.wrappingAdd(1, ordering: .relaxed)
    }

    /// A recording stopped early, or could not be saved; once for each.
    func noteFailure() {
        self.failures.wrappingAdd(1, ordering: .relaxed)
    }

    /// Recordings that run, or are being saved.
    package var running: Int {
        // In this order, so that one that starts and ends between the two is not counted below zero.
        let ended = self.ended.load(ordering: .acquiring)
        return self.started.load(ordering: .acquiring) - ended
    }

    package var failed: Int { self.failures.load(ordering: .relaxed) }
}
