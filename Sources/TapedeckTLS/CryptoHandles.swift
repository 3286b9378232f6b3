import COpenSSL

/// Owns one reference to an `X509`.
// Proof of @unchecked Sendable: the pointer never changes, nothing changes the certificate after this object
// was made, and OpenSSL guards its reference count and lazily filled caches with locks of its own.
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(self.pointer)
    }

    /// Seconds since 1970 at which the certificate ceases to be valid.
    func expiry() throws -> Int64 {
        var fields = tm()
        try require(success: ASN1_TIME_to_tm(X509_get0_notAfter(self.pointer), &fields), "read an expiry date")
        return Int64(timegm(&fields))
    }

    /// Expiry as an ISO 8601 date.
    func expiryDate() throws -> String {
        var fields = tm()
        try require(success: ASN1_TIME_to_tm(X509_get0_notAfter(self.pointer), &fields), "read an expiry date")
        let pad = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(fields.tm_year + 1900)-\(pad(fields.tm_mon + 1))-\(pad(fields.tm_mday))"
    }

    func der() throws -> [UInt8] {
        OpenSSLErrors.clear()
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(self.pointer, &encoded)
        guard count > 0, let encoded else {
            throw TLSError.library("encode a certificate")
        }
        defer { tapedeck_OPENSSL_free(encoded) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }

    func subject() throws -> String {
        try MemoryBIO.text { bio in
            tapedeck_X509_NAME_print(bio, X509_get_subject_name(self.pointer)) >= 0
        }
    }
}

/// Owns one reference to an `EVP_PKEY`.
// @unchecked is sound for the same reasons as above: a key is only ever used, never changed.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(self.pointer)
    }

    /// A new key on the curve P-256.
    ///
    /// It has the form of OpenSSL 1.1, which takes 7 microseconds to be put into a certificate. A key of a provider takes 250:
    /// OpenSSL 3.0 searches all its encoders for it each time.
    static func generate() throws -> KeyHandle {
        OpenSSLErrors.clear()
        let generated = KeyHandle(owning: try require(tapedeck_EVP_EC_gen("P-256"), "generate a P-256 key"))
        let curveKey = try require(tapedeck_EVP_PKEY_get1_EC_KEY(generated.pointer), "read a P-256 key")
        defer { tapedeck_EC_KEY_free(curveKey) }
        let key = KeyHandle(owning: try require(EVP_PKEY_new(), "allocate a key"))
        try require(success: tapedeck_EVP_PKEY_set1_EC_KEY(key.pointer, curveKey), "make a P-256 key")
        return key
    }
}

/// Owns one `SSL_CTX`.
// @unchecked is sound: the creator configures it before sharing it and never changes it afterwards. OpenSSL guards its
// own later changes (reference count, trust store lookups, ticket keys) with locks.
final class SSLContextHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// A context for TLS 1.2 and 1.3 without renegotiation and compression.
    init(_ method: OpaquePointer?) throws {
        OpenSSLErrors.clear()
        self.pointer = try require(SSL_CTX_new(method), "make a TLS context")
        tapedeck_SSL_CTX_set_defaults(self.pointer)
        try require(
            success: tapedeck_SSL_CTX_set_min_proto_version(self.pointer, TLS1_2_VERSION),
            "ask for TLS 1.2"
        )
    }

    deinit {
        SSL_CTX_free(self.pointer)
    }
}
