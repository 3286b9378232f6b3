import Synchronization
import TapedeckLocking

/// Tells waiting callers that something has changed, but not what: they read the version first, then the data, and then
/// wait for a later version. So no change is missed, and many changes at once wake them once.
package final class ChangeSignal: Sendable {
    private struct State {
        var isClosed = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard !self.waiters.isEmpty else { return [] }
            defer { self.waiters = [:] }
            return Array(self.waiters.values)
        }
    }

    private let current = Atomic<Int>(0)
    /// The number of waiters, including those about to wait. Usually zero, and then a change costs no lock.
    private let waiting = Atomic<Int>(0)
    private let state = Locked(State())

    package init() {}

    /// Another, larger number after each change.
    package var version: Int { self.current.load(ordering: .sequentiallyConsistent) }

    /// True if there are no further changes.
    package var isClosed: Bool { self.state.withLock { $0.isClosed } }

    func notify() {
        self.current.wrappingAdd(1, ordering: .sequentiallyConsistent)
        // A waiter counts itself before it reads the version, so one of the two sees the other.
        guard self.waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let waiters = self.state.withLock { $0.takeWaiters() }
        for waiter in waiters { waiter.resume() }
    }

    /// Ends all changes: present and future waiters return at once.
    package func close() {
        let waiters = self.state.withLock { state in
            state.isClosed = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for a version after `version`, the close, or the task's cancellation.
    package func wait(after version: Int) async {
        self.waiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { self.waiting.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        let id = self.state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    // A cancellation before this point finds no waiter, so it is checked here.
                    guard self.version <= version, !state.isClosed, !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
