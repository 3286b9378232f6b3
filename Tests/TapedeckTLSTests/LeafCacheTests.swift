import Synchronization
import Testing

@testable import TapedeckTLS

@Suite struct LeafCacheTests {
    @Test func `a hundred requests at once mint one leaf`() async throws {
        let cache = LeafCache(authority: try CertificateAuthority.ephemeral())
        let leaves = try await withThrowingTaskGroup(of: LeafCertificate.self) { group in
            for index in 0..<100 {
                group.addTask { try cache.leaf(for: index.isMultiple(of: 2) ? "example.com" : "EXAMPLE.com.") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(leaves.count == 100)
        #expect(leaves.allSatisfy { $0 === leaves[0] })
        #expect(cache.minted == 1)
    }

    @Test func `the leaf unused for longest goes first and the bound holds`() throws {
        let cache = LeafCache(authority: try CertificateAuthority.ephemeral(), capacity: 3)
        for host in ["a", "b", "c", "a", "d"] {
            _ = try cache.leaf(for: host)
            #expect(cache.count <= 3)
        }
        #expect(cache.minted == 4)
        for host in ["a", "c", "d"] {
            _ = try cache.leaf(for: host)
        }
        #expect(cache.minted == 4)
        _ = try cache.leaf(for: "b")
        #expect(cache.minted == 5)
        #expect(cache.count == 3)
    }

    @Test func `a leaf is minted again in its last day`() throws {
        let start: Int64 = 1_800_000_000
        let time = Mutex(start)
        let authority = try CertificateAuthority.make(now: start)
        let cache = LeafCache(authority: authority, capacity: 3, now: { time.withLock { $0 } })
        let first = try cache.leaf(for: "example.com")
        time.withLock { $0 = first.expiresAt - 86_401 }
        #expect(try cache.leaf(for: "example.com") === first)
        time.withLock { $0 = first.expiresAt - 86_400 }
        let second = try cache.leaf(for: "example.com")
        #expect(second.expiresAt > first.expiresAt)
        #expect(cache.count == 1)
    }

    @Test func `a leaf that ends with its CA is not minted for every request`() throws {
        let start: Int64 = 1_800_000_000
        let authority = try CertificateAuthority.make(now: start)
        let cache = LeafCache(authority: authority, capacity: 3, now: { authority.expiresAt - 60 })
        let first = try cache.leaf(for: "example.com")
        #expect(try cache.leaf(for: "example.com") === first)
        #expect(cache.minted == 1)
    }
}
