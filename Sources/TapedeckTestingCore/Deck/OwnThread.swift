import Dispatch
import TapedeckLocking
import TapedeckPlatform

/// Runs what blocks on a thread of its own, as the threads of Swift's tasks are few and a deck inside the process needs
/// them itself.
package enum OwnThread {
    /// Runs `work` and waits without a thread. When the task is cancelled nobody waits any longer, and what `work`
    /// returns is dropped.
    ///
    /// - Parameter dropped: called with what is dropped, on the same thread.
    /// - Throws: what `work` throws; `CancellationError`; ``TapedeckError`` when there is no thread to be had.
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
    /// - Throws: ``TapedeckError`` when there is no thread to be had.
    package static func start(_ work: @escaping @Sendable () -> Void) throws(TapedeckError) {
        let box = Unmanaged.passRetained(Work(run: work))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = pthread_create(
            &thread,
            nil,
            { argument in
                // Not optional on every system.
                let argument: UnsafeMutableRawPointer? = argument
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            box.toOpaque()
        )
        guard result == 0 else {
            box.release()
            throw TapedeckError(
                .noDeck,
                "there is no thread to talk to the deck with: \(String(cString: strerror(result)))"
            )
        }
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
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

        /// Returns whether somebody got it.
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
