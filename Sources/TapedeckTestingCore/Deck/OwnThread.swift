import Dispatch
import TapedeckLocking
import TapedeckPlatform

/// Runs what blocks on a thread of its own, as the threads of Swift's tasks are few and a deck inside the process needs
/// them itself.
package enum OwnThread {
    /// Runs `work` and waits without a thread. If the task is cancelled, the wait ends, and the result of `work` is
    /// dropped.
    ///
    /// - Parameter dropped: called with a dropped result, on the same thread.
    /// - Throws: errors of `work`; `CancellationError`; ``TapedeckError`` if no thread can be started.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value,
        dropped: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws -> Value {
        let outcome = Outcome<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard outcome.wait(continuation) else { return }
                do {
                    try self.start {
                        let result = Result { try work() }
                        if !outcome.finish(result), case .success(let value) = result { dropped(value) }
                    }
                } catch {
                    outcome.finish(.failure(error))
                }
            }
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }

    /// Starts a thread that ends with `work`.
    ///
    /// - Throws: ``TapedeckError`` if no thread can be started.
    package static func start(_ work: @escaping @Sendable () -> Void) throws(TapedeckError) {
        do {
            try SystemThread(work).detach()
        } catch {
            throw TapedeckError(
                .noDeck,
                "there is no thread to talk to the deck with: \(String(cString: strerror(error.code)))"
            )
        }
    }

    /// The result of the work, passed to the waiting caller exactly once.
    private final class Outcome<Value: Sendable>: Sendable {
        private enum State {
            case idle
            case waiting(CheckedContinuation<Value, any Error>)
            case finished
        }

        private let state = Locked(State.idle)

        /// Returns whether the work is still wanted.
        func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
            let isWanted = self.state.withLock { state in
                guard case .idle = state else { return false }
                state = .waiting(continuation)
                return true
            }
            if !isWanted { continuation.resume(throwing: CancellationError()) }
            return isWanted
        }

        /// Returns true if the result was received.
        @discardableResult
        func finish(_ result: Result<Value, any Error>) -> Bool {
            let continuation = self.state.withLock { state -> CheckedContinuation<Value, any Error>? in
                defer { state = .finished }
                guard case .waiting(let continuation) = state else { return nil }
                return continuation
            }
            continuation?.resume(with: result)
            return continuation != nil
        }
    }
}

/// Waits on this thread, which must not be one of Swift's tasks, for something that is asynchronous.
func waitBlocking<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Locked<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
        done.signal()
    }
    done.wait()
    guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
}
