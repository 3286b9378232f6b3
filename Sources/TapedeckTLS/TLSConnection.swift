import COpenSSL
import NIOCore
import TapedeckPlatform

/// One `SSL` with its buffers: a Swift method for each OpenSSL step, without decisions.
///
/// Not `Sendable`: belongs to one ``TLSHandler`` and its event loop.
final class TLSConnection {
    /// The result of a step.
    enum Step {
        case done
        /// The peer must send more first.
        case needsInput
        /// The peer sent close_notify.
        case closed
        case failed(OpenSSLErrors)
    }

    private enum Role {
        case server(TLSServerContext)
        case client(TLSClientContext, SessionCache.Key)
    }

    /// The most plaintext that goes into one record. Four such records fit into 64 KiB with any of
    /// the cipher suites, of which CBC with SHA-384 adds the most: 5 + 16 + 16 + 48 bytes.
    static let recordLimit = 16_384 - 96

    let bio = ChannelBIO()
    /// The host that was connected to, or the one to assume when the client names none.
    let host: CertificateHost
    /// The SNI that the client sent, verbatim, or that this side sends.
    var serverName: String?
    /// The server's side takes `h2` if the client offers it.
    var speaksHTTP2 = false

    private let role: Role
    private let ssl: OpaquePointer
    /// When the certificates expire that the session offered for resumption was verified with; see
    /// ``SessionCache/Session/expiry``.
    private var resumedExpiry: Int64?
    /// The reason why no certificate could be presented. Kept here because it does not pass through OpenSSL.
    private var leafError: (any Error)?

    /// The server's side, which presents a leaf for the requested name, else for `fallbackHost`.
    init(server context: TLSServerContext, fallbackHost: String) throws {
        self.host = try CertificateHost(fallbackHost)
        self.role = .server(context)
        OpenSSLErrors.clear()
        self.ssl = try require(SSL_new(context.handle.pointer), "make a TLS connection")
        try self.attach()
        SSL_set_accept_state(self.ssl)
    }

    /// The client's side.
    init(
        client context: TLSClientContext,
        host: String,
        verifiesPeer: Bool,
        certificate: ClientCertificate? = nil,
        http2: Bool = false
    ) throws {
        self.host = try CertificateHost(host)
        let key = SessionCache.Key(host: self.host.name, verifiesPeer: verifiesPeer, certificate: certificate)
        self.role = .client(context, key)
        OpenSSLErrors.clear()
        self.ssl = try require(SSL_new(context.handle.pointer), "make a TLS connection")
        try self.attach()
        let parameters = SSL_get0_param(self.ssl)
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        switch self.host.kind {
        case .dns:
            let name = self.host.name
            try require(success: X509_VERIFY_PARAM_set1_host(parameters, name, 0), "expect a host name")
            // RFC 6066 section 3 allows names only, no addresses.
            try require(success: tapedeck_SSL_set_tlsext_host_name(self.ssl, name), "send a host name")
            self.serverName = name
        case .address(let bytes):
            try require(success: X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count), "expect an address")
        }
        SSL_set_verify(self.ssl, verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        try certificate?.use(on: self.ssl)
        if http2 {
            let protocols: [UInt8] = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
            // Its success is zero.
            guard SSL_set_alpn_protos(self.ssl, protocols, UInt32(protocols.count)) == 0 else {
                throw TLSError.library("set the ALPN protocols")
            }
        }
        if let session = context.sessions.take(key, at: Int64(time(nil))) {
            // An outdated session is not an error: the handshake is then a full one.
            SSL_set_session(self.ssl, session.pointer)
            self.resumedExpiry = session.expiry
        }
        SSL_set_connect_state(self.ssl)
        OpenSSLErrors.clear()
    }

    deinit {
        SSL_free(self.ssl)
    }

    private func attach() throws {
        let bio = try self.bio.makeBIO()
        // One reference serves for both directions.
        SSL_set_bio(self.ssl, bio, bio)
        // Not retained: OpenSSL looks only while one of the methods below runs on this object.
        SSL_set_ex_data(self.ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The connection that OpenSSL calls back for.
    static func of(_ ssl: OpaquePointer?) -> TLSConnection? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Called by OpenSSL

    /// Chooses the certificate, once the client's wishes are known.
    func presentLeaf() -> Bool {
        guard case .server(let context) = self.role else {
            return false
        }
        // A name that is not valid in a certificate counts as missing.
        let asked = self.serverName.flatMap { try? CertificateHost($0) }
        do {
            let leaf = try context.leaves.leaf(for: asked ?? self.host)
            return SSL_use_certificate(self.ssl, leaf.certificate.pointer) == 1
                && SSL_use_PrivateKey(self.ssl, leaf.key.pointer) == 1
        } catch {
            self.leafError = error
            return false
        }
    }

    func keep(_ session: OpaquePointer) {
        guard case .client(let context, let key) = self.role else { return }
        guard key.verifiesPeer else {
            context.sessions.store(session, for: key, expiry: nil)
            return
        }
        // A resumed handshake verifies nothing, so its sessions last no longer than the first one's.
        let expiry = SSL_session_reused(self.ssl) == 1 ? self.resumedExpiry : self.verifiedExpiry
        if let expiry { context.sessions.store(session, for: key, expiry: expiry) }
    }

    /// When the first certificate of the verified chain expires, in seconds since 1970.
    private var verifiedExpiry: Int64? {
        guard let chain = SSL_get0_verified_chain(self.ssl) else { return nil }
        let expiries = (0..<OPENSSL_sk_num(chain)).map { index -> Int64? in
            guard let certificate = OPENSSL_sk_value(chain, index) else { return nil }
            var fields = tm()
            guard ASN1_TIME_to_tm(X509_get0_notAfter(OpaquePointer(certificate)), &fields) == 1 else { return nil }
            return Int64(timegm(&fields))
        }
        return expiries.contains(nil) ? nil : expiries.compactMap { $0 }.min()
    }

    // MARK: Called by the handler

    /// False if a read could yield nothing, so that no memory need be allocated for it.
    var mayHavePlaintext: Bool {
        self.bio.hasInbound || self.hasBegunRecord
    }

    /// True if OpenSSL holds a record of which not all has been read.
    var hasBegunRecord: Bool {
        SSL_has_pending(self.ssl) == 1
    }

    func handshake() -> Step {
        OpenSSLErrors.clear()
        return self.step(SSL_do_handshake(self.ssl))
    }

    /// Decrypts into `buffer` until its present capacity is used up (`done`) or nothing is left.
    func read(into buffer: inout ByteBuffer) -> Step {
        while buffer.writableBytes > 0 {
            // OpenSSL finds that out, too, but only by trying to read.
            guard buffer.readableBytes == 0 || self.mayHavePlaintext else { return .needsInput }
            OpenSSLErrors.clear()
            var status: Int32 = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { target in
                var count = 0
                status = SSL_read_ex(self.ssl, target.baseAddress, target.count, &count)
                return count
            }
            guard status > 0 else {
                return self.step(status)
            }
        }
        return .done
    }

    /// Encrypts one record from the front of `buffer`.
    func writeRecord(from buffer: inout ByteBuffer) -> Step {
        OpenSSLErrors.clear()
        var status: Int32 = 0
        buffer.readWithUnsafeReadableBytes { source in
            var count = 0
            status = SSL_write_ex(self.ssl, source.baseAddress, min(source.count, Self.recordLimit), &count)
            return count
        }
        return self.step(status)
    }

    /// Writes close_notify, unless the state of the connection does not allow it any more.
    func shutdown() {
        OpenSSLErrors.clear()
        _ = SSL_shutdown(self.ssl)
        OpenSSLErrors.clear()
    }

    private func step(_ status: Int32) -> Step {
        if status > 0 {
            return .done
        }
        return switch SSL_get_error(self.ssl, status) {
        case SSL_ERROR_WANT_READ: .needsInput
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed(OpenSSLErrors.drain())
        }
    }

    // MARK: What came of the handshake

    var completion: TLSHandshakeCompleted {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(self.ssl, &name, &count)
        let selected = UnsafeBufferPointer(start: name, count: Int(count))
        return TLSHandshakeCompleted(
            version: String(cString: SSL_get_version(self.ssl)),
            applicationProtocol: selected.isEmpty ? nil : String(decoding: selected, as: UTF8.self),
            serverName: self.serverName,
            resumed: SSL_session_reused(self.ssl) == 1
        )
    }

    func failure(_ reason: TLSHandshakeFailure.Reason) -> TLSHandshakeFailure {
        switch self.role {
        case .server: TLSHandshakeFailure(host: self.serverName ?? self.host.name, reason: reason)
        case .client: TLSHandshakeFailure(host: self.host.name, reason: reason)
        }
    }

    func failure(_ errors: OpenSSLErrors) -> TLSHandshakeFailure {
        if let leafError = self.leafError {
            return self.failure(.protocolError("\(leafError)"))
        }
        if let rejection = self.rejection(errors) {
            return rejection
        }
        let result = SSL_get_verify_result(self.ssl)
        if errors.contains(sslReason: SSL_R_CERTIFICATE_VERIFY_FAILED), result != X509_V_OK {
            return self.failure(.certificateInvalid(cause: String(cString: X509_verify_cert_error_string(result))))
        }
        if errors.contains(sslReason: SSL_R_NO_APPLICATION_PROTOCOL)
            || errors.peerAlert == SSL_AD_NO_APPLICATION_PROTOCOL
        {
            return self.failure(.noApplicationProtocol)
        }
        return self.failure(.protocolError(errors.text))
    }

    /// The failure to report if `errors` are those of a client that refused our certificate. Some do
    /// so only after they have finished the handshake.
    func rejection(_ errors: OpenSSLErrors) -> TLSHandshakeFailure? {
        guard
            case .server = self.role,
            let alert = errors.peerAlert.flatMap(TLSHandshakeFailure.certificateAlert)
        else {
            return nil
        }
        return self.failure(.peerRejectedCertificate(alert: alert))
    }
}

@available(*, unavailable)
extension TLSConnection: Sendable {}
