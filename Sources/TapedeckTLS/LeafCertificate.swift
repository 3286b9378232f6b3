/// A server certificate for one host, with its key.
package final class LeafCertificate: Sendable {
    /// The host the certificate is for: lower case, without a final dot.
    package let host: String

    let certificate: CertificateHandle
    let key: KeyHandle
    /// Seconds since 1970.
    let expiresAt: Int64

    init(host: String, certificate: CertificateHandle, key: KeyHandle) throws {
        self.host = host
        self.certificate = certificate
        self.key = key
        self.expiresAt = try certificate.expiry()
    }

    /// The certificate in PEM; empty only when memory is exhausted.
    package var certificatePEM: String {
        (try? PEM.encode(self.certificate)) ?? ""
    }

    /// The key in PEM (PKCS #8, not encrypted), for tests and the demo's origin. All leaves of one
    /// ``CertificateAuthority`` share it. Empty only when memory is exhausted.
    package var privateKeyPEM: String {
        (try? PEM.encode(self.key)) ?? ""
    }
}
