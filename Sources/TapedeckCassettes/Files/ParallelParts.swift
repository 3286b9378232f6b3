import Dispatch
import Synchronization
import TapedeckLocking
import TapedeckPlatform

/// Work in parts, done on several cores at the same time.
enum ParallelParts {
    /// The cores that are used: at most four, as each thread has memory of its own.
    private static let cores = min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

    /// Calls `body` with consecutive parts of `0..<count`, and returns the results in their order. Blocks until all are
    /// there.
    ///
    /// - Parameter size: the smallest part that is worth a thread.
    static func map<Result: Sendable>(
        _ count: Int,
        partsOf size: Int,
        _ body: @Sendable (Range<Int>) -> Result
    ) -> [Result] {
        // More parts than cores, as some take longer.
        let parts = min(count / max(1, size), self.cores * 4)
        guard self.cores > 1, parts > 1 else { return [body(0..<count)] }
        let results = Locked<[Result?]>(Array(repeating: nil, count: parts))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(parts, self.cores)) { _ in
            while true {
                let part = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard part < parts else { return }
                let result = body((count * part / parts)..<(count * (part + 1) / parts))
                results.withLock { $0[part] = result }
            }
        }
        return results.withLock { $0.compactMap { $0 } }
    }
}
