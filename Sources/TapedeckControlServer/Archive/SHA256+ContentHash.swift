package import TapedeckCassettes
package import TapedeckTLS

extension SHA256: ContentHash {
    /// Makes hashes for the versions of cassettes.
    package static let hashing: ContentHashing = { SHA256() }
}
