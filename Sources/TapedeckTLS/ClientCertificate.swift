import COpenSSL

/// A certificate with its private key, for servers that request one.
///
/// Two are equal if they are the same object: connections with different ones share nothing.
package final class ClientCertificate: Sendable {
    private let certificate: CertificateHandle
    /// Those that the certificate was signed with, up to the root or less.
    private let chain: [CertificateHandle]
    private let key: KeyHandle

    /// Reads PEM files. Blocks, so do not call it on an event loop. Never prompts for a pass phrase.
    ///
    /// - Parameters:
    ///   - certificatePath: the certificate, then its issuers.
    ///   - keyPath: the key; `nil` if it is in the certificate's file.
    ///   - passphrase: of the key, if it has one.
    ///   - remedy: advice on a missing pass phrase, for the error's text: "put it into the variable X".
    /// - Throws: `TLSError(.clientCertificateUnusable)`, which names the file.
    package init(certificatePath: String, keyPath: String?, passphrase: String?, remedy: String) throws {
        let bytes = try FileAccess.read(certificatePath, privately: false, failure: .clientCertificateUnusable)
        let certificates: [CertificateHandle]
        do {
            certificates = try PEM.certificates(bytes)
        } catch let error as TLSError {
            throw Self.unusable("\(certificatePath) holds a broken certificate: \(error.message)")
        }
        guard let certificate = certificates.first else {
            throw Self.unusable(
                "\(certificatePath) holds no certificate; one is expected in PEM, between BEGIN CERTIFICATE and END "
                    + "CERTIFICATE (openssl pkcs12 -in FILE.p12 -out FILE.pem makes it from a .p12)"
            )
        }
        let path = keyPath ?? certificatePath
        let keyBytes = try keyPath.map {
            try FileAccess.read($0, privately: false, failure: .clientCertificateUnusable)
        }
        switch try PEM.key(keyBytes ?? bytes, passphrase: passphrase) {
        case .key(let key): self.key = key
        case .wantsPassphrase:
            throw Self.unusable("the key in \(path) has a pass phrase; \(remedy)")
        case .unreadable where passphrase != nil:
            throw Self.unusable("the key in \(path) cannot be read with the pass phrase given; \(remedy)")
        case .unreadable:
            let hint = keyPath == nil ? "; name the file of the key as well, if it has its own" : ""
            throw Self.unusable("\(path) holds no private key in PEM\(hint)")
        }
        self.certificate = certificate
        self.chain = Array(certificates.dropFirst())
        let isPair = X509_check_private_key(certificate.pointer, self.key.pointer) == 1
        OpenSSLErrors.clear()
        guard isPair else {
            throw Self.unusable(
                "the key in \(path) is not that of the first certificate in \(certificatePath); name the two that "
                    + "belong together, with the client's own certificate before those that it was signed with"
            )
        }
    }

    private static func unusable(_ message: String) -> TLSError {
        TLSError(.clientCertificateUnusable, message)
    }

    /// Has a connection show it.
    func use(on ssl: OpaquePointer) throws {
        try require(success: SSL_use_certificate(ssl, self.certificate.pointer), "use a client certificate")
        try require(success: SSL_use_PrivateKey(ssl, self.key.pointer), "use the key of a client certificate")
        for certificate in self.chain {
            try require(success: tapedeck_SSL_add1_chain_cert(ssl, certificate.pointer), "use a client's chain")
        }
    }
}

extension ClientCertificate: Hashable {
    package static func == (left: ClientCertificate, right: ClientCertificate) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
