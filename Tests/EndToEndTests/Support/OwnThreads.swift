import Foundation
import Synchronization
import Testing

/// Runs the tests of a suite on threads that may block.
///
/// These tests wait for programs, and the threads that Swift gives to tasks are as many as there are cores: while a test
/// waits on one of them, its core would have nothing to do.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) {
            try await function()
        }
    }
}

extension Trait where Self == OwnThreads {
    static var ownThreads: Self { Self() }
}

/// A task executor whose jobs may block.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let jobs = Mutex<[UnownedJob]>([])
    private let available = DispatchSemaphore(value: 0)

    /// As many threads as tests run at once: two for each core.
    private init() {
        for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread {
                while true { self.runNext() }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.withLock { $0.append(job) }
        self.available.signal()
    }

    private func runNext() {
        self.available.wait()
        let job = self.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?.runSynchronously(on: self.asUnownedTaskExecutor())
    }
}
