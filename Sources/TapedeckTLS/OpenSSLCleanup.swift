import COpenSSL

/// OpenSSL's cleanup at the end of the process.
package enum OpenSSLCleanup {
    /// Makes OpenSSL leave its memory to the system at `exit`. Otherwise OpenSSL frees it while event loops that were
    /// not stopped may still be reading from TLS connections.
    ///
    /// Has no effect once OpenSSL has been used in this process.
    package static func leaveOut() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
