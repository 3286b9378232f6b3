import COpenSSL

extension CertificateAuthority {
    /// Returns the SHA-256 of the leaves' public key (SubjectPublicKeyInfo, RFC 5280 section 4.1), by which a browser can be
    /// told to accept them.
    ///
    /// - Throws: `TLSError(.library)` if OpenSSL fails.
    package func leafKeyDigest() throws -> [UInt8] {
        OpenSSLErrors.clear()
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(self.leafKey.pointer, &encoded)
        guard count > 0, let encoded else { throw TLSError.library("encode a public key") }
        defer { tapedeck_OPENSSL_free(encoded) }
        let digest = SHA256()
        digest.update(UnsafeRawBufferPointer(start: encoded, count: Int(count)))
        return digest.finalize()
    }
}
