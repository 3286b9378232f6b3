import TapedeckRedaction
import TapedeckTLS

extension BodyDigest {
    /// Hashes by OpenSSL.
    static let openSSL: Hash = { digest, bytes in
        switch digest {
        case .md5: MessageDigest.hash("MD5", bytes)
        case .sha: MessageDigest.hash("SHA1", bytes)
        case .sha256: MessageDigest.hash("SHA256", bytes)
        case .sha512: MessageDigest.hash("SHA512", bytes)
        case .crc32, .crc32c, .crc64nvme: nil
        }
    }
}
