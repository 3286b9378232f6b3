import COpenSSL

/// OpenSSL's cleanup at the end of the process.
package enum OpenSSLCleanup {
    /// Has it leave its memory to the system. It would free it in `exit` otherwise, where event loops that nobody stopped
    /// may still be reading from TLS connections.
    ///
    /// Without effect once anybody in the process has used OpenSSL.
    package static func leaveOut() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
