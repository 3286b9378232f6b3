import Synchronization

/// The number of steps of some work that are done, for a terminal. Set by the thread that works, read by any other.
package final class WorkProgress: Sendable {
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)

    package init() {}

    /// Starts to count anew.
    ///
    /// - Parameter total: the number of all steps; 0 if it is not known.
    package func begin(_ total: Int) {
        self.total.store(0, ordering: .relaxed)
        self.done.store(0, ordering: .relaxed)
        self.total.store(total, ordering: .relaxed)
    }

    /// Counts steps as done.
    package func step(_ count: Int = 1) {
        self.done.wrappingAdd(count, ordering: .relaxed)
    }

    /// For example "83 of 200", or "83" if the number of all steps is not known; `nil` before the first step of such work.
    package var text: String? {
        let (done, total) = (self.done.load(ordering: .relaxed), self.total.load(ordering: .relaxed))
        return total > 0 ? "\(min(total, done)) of \(total)" : done > 0 ? "\(done)" : nil
    }
}
