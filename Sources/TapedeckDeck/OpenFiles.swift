import TapedeckLocking
import TapedeckPlatform

/// How many files and connections this process may have open. Systems give programs few, as some can do with no more
/// (`select`), and let those that can ask for more: each connection of a client takes one, and often another to its origin.
package enum OpenFiles {
    /// As many as anybody needs, where a system sets no limit at all.
    private static let most: rlim_t = 1 << 20
    /// What the process was started with, once it has been raised.
    private static let original = Locked<rlimit?>(nil)

    /// Takes as many as the system lets this process have. Where it lets it have no more, nothing changes.
    package static func raise() {
        self.original.withLock { original in
            var limit = rlimit()
            guard original == nil, getrlimit(self.resource, &limit) == 0 else { return }
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, self.most)
            guard raised.rlim_cur > limit.rlim_cur, setrlimit(self.resource, &raised) == 0 else { return }
            original = limit
        }
    }

    /// Does something, such as starting a program, with what this process was started with: what it may have at most is
    /// inherited, and not every program can do with that many.
    package static func withOriginal<Result>(_ work: () -> Result) -> Result {
        self.original.withLock { original in
            guard var first = original else { return work() }
            var raised = rlimit()
            guard getrlimit(self.resource, &raised) == 0, setrlimit(self.resource, &first) == 0 else { return work() }
            defer { setrlimit(self.resource, &raised) }
            return work()
        }
    }

    /// How many there may be now.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(self.resource, &limit) == 0 else { return 0 }
        return Int(exactly: limit.rlim_cur) ?? .max
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
