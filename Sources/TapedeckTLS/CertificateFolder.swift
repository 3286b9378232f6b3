import COpenSSL

/// Names of files in a folder in which OpenSSL looks certificates up, such as `/etc/ssl/certs` (openssl-rehash(1)).
package enum CertificateFolder {
    /// Returns the hash that the name of a certificate's file begins with, before a dot and a number.
    ///
    /// - Throws: ``TLSError`` if there is no certificate in `pem`, or if it is broken.
    package static func hash(pem: [UInt8]) throws -> String {
        guard let certificate = try PEM.certificates(pem).first else { throw TLSError.library("find a certificate") }
        let hash = String(X509_subject_name_hash(certificate.pointer), radix: 16)
        return String(repeating: "0", count: max(0, 8 - hash.count)) + hash
    }
}
