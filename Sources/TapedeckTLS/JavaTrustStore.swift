import COpenSSL

/// Makes trust stores for Java: PKCS #12 (RFC 7292) with the attribute by which the JDK knows trusted certificates.
package enum JavaTrustStore {
    /// The password of every trust store that is made here: that of Java's own stores, which some programs open with it. It
    /// protects nothing, because certificates are public.
    package static let password = "changeit"

    /// Returns a trust store with all certificates in `pem`, which are not encrypted in it.
    ///
    /// - Throws: ``TLSError`` if a certificate is broken.
    package static func encode(pem: [UInt8]) throws -> [UInt8] {
        let certificates = try PEM.certificates(pem)
        OpenSSLErrors.clear()
        var pointers = certificates.map { Optional($0.pointer) }
        let store = try require(
            tapedeck_PKCS12_trusted(&pointers, Int32(clamping: pointers.count), self.password),
            "make a trust store"
        )
        // They must outlive the call, which was given their pointers only.
        withExtendedLifetime(certificates) {}
        defer { PKCS12_free(store) }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PKCS12(store, &encoded)
        guard count > 0, let encoded else { throw TLSError.library("encode a trust store") }
        defer { tapedeck_OPENSSL_free(encoded) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}
