import COpenSSL

/// Trust for upstream connections, and what they share besides: TLS 1.2 and 1.3, ALPN `http/1.1`,
/// and the newest sessions of hosts for resumption.
///
/// Making one with the system's store parses all of it, 31 to 47 ms: make one for all connections,
/// when the first is needed, off the event loop. Whether a connection verifies its peer is decided
/// in ``TLSHandler/client(context:host:verifiesPeer:)``.
package final class TLSClientContext: Sendable {
    let handle: SSLContextHandle
    let sessions = SessionCache(capacity: 512)

    /// A context that trusts all certificates named here, including those that are not roots.
    ///
    /// - Parameters:
    ///   - extraCAFiles: PEM files with CA certificates, any number in each.
    ///   - extraCAPEM: the same as text.
    ///   - useSystemStore: true to trust the system's CAs too. OpenSSL replaces them by `SSL_CERT_FILE` and
    ///     `SSL_CERT_DIR`.
    /// - Throws: `TLSError(.trustUnreadable)` if a file cannot be read, or a file or text has no certificate or a
    ///   damaged one.
    package init(extraCAFiles: [String] = [], extraCAPEM: [String] = [], useSystemStore: Bool = true) throws {
        self.handle = try SSLContextHandle(TLS_client_method())
        let context = self.handle.pointer
        let store = SSL_CTX_get_cert_store(context)
        if useSystemStore {
            try require(success: SSL_CTX_set_default_verify_paths(context), "read the system's CA certificates")
        }
        for path in extraCAFiles {
            let bytes = try FileAccess.read(path, privately: false, failure: .trustUnreadable)
            try Self.add(bytes, from: path, to: store)
        }
        for text in extraCAPEM {
            try Self.add(Array(text.utf8), from: "the given PEM text", to: store)
        }
        // As curl does: a user who names an intermediate or a server's own certificate means to trust it.
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        // The one function here whose success is zero.
        guard SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0 else {
            throw TLSError.library("set the ALPN protocols")
        }
        let mode = SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
        tapedeck_SSL_CTX_set_session_cache_mode(context, Int(mode))
        SSL_CTX_sess_set_new_cb(context) { ssl, session in
            if let session {
                TLSConnection.of(ssl)?.keep(session)
            }
            return 0
        }
        OpenSSLErrors.clear()
    }

    private static func add(_ bytes: [UInt8], from source: String, to store: OpaquePointer?) throws {
        let certificates: [CertificateHandle]
        do {
            certificates = try PEM.certificates(bytes)
        } catch let error as TLSError {
            throw TLSError(.trustUnreadable, "\(source) holds a broken certificate: \(error.message)")
        }
        guard !certificates.isEmpty else {
            throw TLSError(
                .trustUnreadable,
                "\(source) holds no certificate; CA certificates are expected in PEM, "
                    + "between BEGIN CERTIFICATE and END CERTIFICATE"
            )
        }
        for certificate in certificates {
            try require(success: X509_STORE_add_cert(store, certificate.pointer), "trust a certificate")
        }
    }
}
