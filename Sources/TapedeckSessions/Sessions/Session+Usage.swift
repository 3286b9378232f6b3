import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking

extension Session {
    /// The number of requests for each set of its cassettes; see ``SessionState/usage``. Cassettes that were sent with
    /// the session are left out.
    package var usage: [CassetteUsage] {
        let paths = Set(self.cassettes.filter { !$0.isInMemory }.map(\.path))
        // A copy: the lock is not to be held for the length of a tape.
        let state = self.state.withLock { $0 }
        return state.usage.filter { paths.contains($0.path) }
    }

    /// The current use of this session.
    package var inUse: DeckUsage { self.meter.usage }
}

extension SessionDirectory {
    /// The current use of all sessions together.
    package var usageNow: DeckUsage { self.meter.usage }
}
