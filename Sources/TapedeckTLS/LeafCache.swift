import TapedeckLocking
import TapedeckPlatform

/// The most recently used leaves of one authority, one per host.
///
/// A host's first leaf is created once, even if many connections need it at the same moment. A leaf that expires within
/// 24 hours is replaced.
package final class LeafCache: Sendable {
    private struct Entry {
        var leaf: LeafCertificate
        /// The value of `State.clock` when this entry was used last.
        var lastUse: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var clock: UInt64 = 0
        var minted = 0
    }

    private let authority: CertificateAuthority
    private let capacity: Int
    private let now: @Sendable () -> Int64
    // Held while a leaf is minted, for which callers for other hosts wait, too: 0.1 ms. No leaf is minted twice.
    private let state = Locked(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of leaves, at least one; 1024 by default. A leaf takes about 4 KB. The least
    ///     recently used leaf is removed first.
    ///   - now: returns the time of the clients, in seconds since 1970.
    package init(
        authority: CertificateAuthority,
        capacity: Int = 1024,
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.authority = authority
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// The number of leaves minted so far.
    package var minted: Int {
        self.state.withLock { $0.minted }
    }

    /// The number of leaves in the cache.
    var count: Int {
        self.state.withLock { $0.entries.count }
    }

    /// The leaf for `host`, which is a DNS name or an IP address without brackets, in any case.
    ///
    /// - Throws: `TLSError(.invalidHost)`.
    package func leaf(for host: String) throws -> LeafCertificate {
        try self.leaf(for: CertificateHost(host))
    }

    func leaf(for host: CertificateHost) throws -> LeafCertificate {
        let now = self.now()
        return try self.state.withLock { state in
            state.clock += 1
            if let entry = state.entries[host.name], self.isFresh(entry.leaf, at: now) {
                state.entries[host.name]?.lastUse = state.clock
                return entry.leaf
            }
            let leaf = try self.authority.issueLeaf(for: host, now: now)
            state.minted += 1
            if state.entries[host.name] == nil, state.entries.count >= self.capacity {
                // A walk over a thousand entries takes a fraction of the time of the minting above.
                let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
                if let oldest {
                    state.entries[oldest.key] = nil
                }
            }
            state.entries[host.name] = Entry(leaf: leaf, lastUse: state.clock)
            return leaf
        }
    }

    private func isFresh(_ leaf: LeafCertificate, at now: Int64) -> Bool {
        // A leaf that lasts as long as its CA cannot be renewed.
        leaf.expiresAt - now > 86_400 || leaf.expiresAt >= self.authority.expiresAt
    }
}
