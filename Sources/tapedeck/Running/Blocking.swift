import Dispatch
import TapedeckLocking

/// Runs asynchronous work from the main thread, which belongs to signals and must not be given away.
enum Blocking {
    static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        Task.detached {
            do {
                outcome.set(.success(try await work()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        return try outcome.wait().get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let done = DispatchSemaphore(value: 0)
        private let result = Locked<Result<Value, any Error>>(.failure(CancellationError()))

        func set(_ result: Result<Value, any Error>) {
            self.result.withLock { $0 = result }
            self.done.signal()
        }

        func wait() -> Result<Value, any Error> {
            self.done.wait()
            return self.result.withLock { $0 }
        }
    }
}
