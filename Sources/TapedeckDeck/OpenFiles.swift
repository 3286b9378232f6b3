import TapedeckLocking
import TapedeckPlatform

/// The maximum number of open files and connections of this process. Systems give programs few, because some cannot use
/// more (`select`), and let others raise the limit: each client connection takes one, and often another to its origin.
package enum OpenFiles {
    /// The original limit, once it has been raised.
    private static let original = Locked<rlimit?>(nil)

    /// Raises the number of open files to the system's maximum for this process, if possible.
    package static func raise() {
        self.original.withLock { original in
            guard original == nil, let limit = ResourceLimit.openFiles.value else { return }
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, ResourceLimit.mostOpenFiles)
            guard raised.rlim_cur > limit.rlim_cur, ResourceLimit.openFiles.set(raised) else { return }
            original = limit
        }
    }

    /// Does something, such as starting a program, with what this process was started with: what it may have at most is
    /// inherited, and not every program can do with that many.
    package static func withOriginal<Result>(_ work: () -> Result) -> Result {
        self.original.withLock { original in
            guard let original, let raised = ResourceLimit.openFiles.value, ResourceLimit.openFiles.set(original) else {
                return work()
            }
            defer { _ = ResourceLimit.openFiles.set(raised) }
            return work()
        }
    }

    /// The current limit.
    package static var limit: Int {
        ResourceLimit.openFiles.value.map { Int(exactly: $0.rlim_cur) ?? .max } ?? 0
    }
}
