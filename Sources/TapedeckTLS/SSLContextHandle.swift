import COpenSSL

/// Owns one `SSL_CTX`.
// @unchecked is sound: whoever makes one configures it before sharing it and never changes it
// afterwards; what OpenSSL itself changes in it later (reference count, trust store lookups,
// ticket keys) it guards with locks of its own.
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
