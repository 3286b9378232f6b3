import COpenSSL
import TapedeckPlatform

/// The user's own certificate authority, which signs a server certificate for every intercepted host.
///
/// Immutable, so it may be used from any thread. Nothing of it leaves the machine: every install
/// makes its own.
package final class CertificateAuthority: Sendable {
    /// The CA certificate in PEM, as clients are to trust it. Never holds the key.
    package let certificatePEM: String
    /// The CA certificate in DER.
    package let certificateDER: [UInt8]
    /// The subject, such as `CN=Tapedeck CA 3fa1c2, O=Tapedeck`.
    package let subject: String
    /// SHA-256 of ``certificateDER`` as upper-case hexadecimal bytes with colons between them.
    package let fingerprint: String
    /// The day the certificate expires, as an ISO 8601 date in UTC.
    package let expires: String

    let certificate: CertificateHandle
    let key: KeyHandle
    /// Seconds since 1970.
    let expiresAt: Int64
    /// One key for all leaves: clients need only one, another for each would cost half a leaf more, and a pair that never
    /// changes keeps TLS sessions resumable.
    let leafKey: KeyHandle

    private static let day: Int64 = 86_400

    /// Throws when the two do not belong together, or when the certificate may not sign or has expired.
    init(certificate: CertificateHandle, key: KeyHandle, now: Int64) throws {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            throw TLSError(.authorityMismatch, "the key is not the key of the CA certificate")
        }
        guard X509_check_ca(certificate.pointer) == 1 else {
            throw TLSError(.authorityCorrupt, "the certificate is not one of a CA (basicConstraints CA:TRUE)")
        }
        self.certificate = certificate
        self.key = key
        self.certificatePEM = try PEM.encode(certificate)
        self.certificateDER = try certificate.der()
        self.subject = try certificate.subject()
        self.fingerprint = Self.fingerprint(self.certificateDER)
        self.expires = try certificate.expiryDate()
        self.expiresAt = try certificate.expiry()
        self.leafKey = try KeyHandle.generate()
        guard self.expiresAt > now else {
            throw TLSError(.authorityExpired, "the CA certificate expired on \(self.expires)")
        }
    }

    /// A new authority that lives in memory only, for the demo and for tests.
    ///
    /// - Throws: `TLSError(.library)` if OpenSSL fails.
    package static func ephemeral() throws -> CertificateAuthority {
        try self.make(now: Int64(time(nil)))
    }

    /// 2020-01-01T00:00:00Z. A program whose clock is set to the time of a recording must accept an authority that was made later.
    private static let beginning: Int64 = 1_577_836_800

    /// A new authority, valid until ten years from `now` (seconds since 1970).
    static func make(now: Int64) throws -> CertificateAuthority {
        OpenSSLErrors.clear()
        // Two authorities never share a name: a client that trusts both would otherwise try the wrong key.
        var tag = [UInt8](repeating: 0, count: 3)
        try require(success: RAND_bytes(&tag, Int32(tag.count)), "make a name for the CA")
        let key = try KeyHandle.generate()
        let builder = try CertificateBuilder(
            key: key,
            notBefore: min(Self.beginning, now - Self.day),
            notAfter: now + 3_652 * Self.day
        )
        try builder.addSubject("O", "Tapedeck")
        try builder.addSubject("CN", "Tapedeck CA \(SHA256.hex(tag))")
        try builder.addBasicConstraints(isAuthority: true, pathLength: 0)
        try builder.addKeyUsage([.keyCertSign, .crlSign])
        try builder.addSubjectKeyIdentifier()
        return try CertificateAuthority(certificate: builder.sign(with: key, issuer: nil), key: key, now: now)
    }

    /// Returns a new certificate for `host`, valid for 197 days from 24 hours ago, or until the CA's own expires if
    /// that is sooner.
    ///
    /// Takes about 0.1 ms, so callers keep leaves in a ``LeafCache``. The key is P-256 and the same for every leaf of
    /// this object. Passes Python's `VERIFY_X509_STRICT`.
    ///
    /// - Parameter host: a DNS name, or an IPv4 or IPv6 address without brackets.
    /// - Throws: `TLSError(.invalidHost)` for any other text.
    package func issueLeaf(for host: String) throws -> LeafCertificate {
        try self.issueLeaf(for: CertificateHost(host), now: Int64(time(nil)))
    }

    func issueLeaf(for host: CertificateHost, now: Int64) throws -> LeafCertificate {
        let notBefore = now - Self.day
        let builder = try CertificateBuilder(
            key: self.leafKey,
            notBefore: notBefore,
            // Both ends count (RFC 5280 section 4.1.2.5), hence one second less.
            notAfter: min(notBefore + 197 * Self.day - 1, self.expiresAt)
        )
        // 64 is ub-common-name, the limit for a CN (RFC 5280 appendix A.1).
        let fitsCommonName = host.name.utf8.count <= 64
        if fitsCommonName {
            try builder.addSubject("CN", host.name)
        }
        try builder.addSubjectAlternativeName(host, critical: !fitsCommonName)
        try builder.addBasicConstraints(isAuthority: false)
        try builder.addKeyUsage([.digitalSignature])
        try builder.addServerAuthentication()
        try builder.addSubjectKeyIdentifier()
        try builder.addAuthorityKeyIdentifier(of: self.certificate)
        return try LeafCertificate(
            host: host.name,
            certificate: builder.sign(with: self.key, issuer: self.certificate),
            key: self.leafKey
        )
    }

    private static func fingerprint(_ der: [UInt8]) -> String {
        let hash = SHA256()
        hash.update(der)
        return hash.finalize().map { SHA256.hex([$0]).uppercased() }.joined(separator: ":")
    }
}

extension CertificateAuthority {
    /// Returns the SHA-256 of the leaves' public key (SubjectPublicKeyInfo, RFC 5280 section 4.1), by which a browser
    /// can be configured to accept them.
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
