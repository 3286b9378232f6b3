import COpenSSL

/// Hashes of bytes in memory by OpenSSL's names: `MD5`, `SHA1`, `SHA256`, `SHA512`.
package enum MessageDigest {
    /// Returns `nil` where OpenSSL does not offer the hash, as MD5 in FIPS mode.
    package static func hash(_ name: String, _ bytes: [UInt8]) -> [UInt8]? {
        guard let kind = EVP_get_digestbyname(name) else { return nil }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var size: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &size, kind, nil) == 1 else { return nil }
        return Array(digest.prefix(Int(size)))
    }
}
