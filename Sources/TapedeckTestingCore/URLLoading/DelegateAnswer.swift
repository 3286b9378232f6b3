import Dispatch
import TapedeckControlClient
import TapedeckLocking

/// The answer of a delegate, for which a transfer's thread waits. The first one counts.
final class DelegateAnswer<Value: Sendable>: Sendable {
    enum Outcome {
        case given(Value?)
        case timedOut
    }

    private enum State {
        case open
        case given(Value?)
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Locked(State.open)

    func give(_ value: Value?) {
        let isFirst = self.state.withLock { state in
            guard case .open = state else { return false }
            state = .given(value)
            return true
        }
        if isFirst { self.semaphore.signal() }
    }

    /// Blocks. To be called once.
    func wait(until end: Deadline) -> Outcome {
        while self.semaphore.wait(timeout: .now() + .milliseconds(Int(end.milliseconds))) == .timedOut {
            if end.isOver { return .timedOut }
        }
        return self.state.withLock { state in if case .given(let value) = state { .given(value) } else { .timedOut } }
    }
}
