package import TapedeckCassettes
import TapedeckTLS

extension CassetteStore {
    /// The store of cassettes on disk. It names body files by their SHA-256.
    package static let onDisk = CassetteStore { SHA256.hexDigest(of: $0) }
}
