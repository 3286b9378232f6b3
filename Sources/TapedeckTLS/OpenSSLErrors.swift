import COpenSSL

/// The entries in the calling thread's OpenSSL error queue, oldest first.
///
/// The queue belongs to the thread and outlives the call that filled it, so every group of calls starts with
/// ``clear()``, and after a failure ``drain()`` reads the entries.
struct OpenSSLErrors {
    /// One entry: its library, its reason within the library and both as text.
    struct Entry {
        var library: Int32
        var reason: Int32
        var text: String
    }

    var entries: [Entry]

    static func clear() {
        ERR_clear_error()
    }

    static func drain() -> OpenSSLErrors {
        var entries: [Entry] = []
        while true {
            var data: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = ERR_get_error_all(nil, nil, nil, &data, &flags)
            guard code != 0 else {
                return OpenSSLErrors(entries: entries)
            }
            var text: String
            if let reason = ERR_reason_error_string(code) {
                text = String(cString: reason)
            } else {
                text = "OpenSSL error \(code)"
            }
            if let data, flags & ERR_TXT_STRING != 0, data.pointee != 0 {
                text += " (\(String(cString: data)))"
            }
            entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
        }
    }

    /// All entries in one line.
    var text: String {
        self.entries.isEmpty ? "no detail from OpenSSL" : self.entries.map(\.text).joined(separator: "; ")
    }

    /// True if the TLS library itself reported `reason`, one of the `SSL_R_` numbers.
    func contains(sslReason reason: Int32) -> Bool {
        self.entries.contains { $0.library == ERR_LIB_SSL && $0.reason == reason }
    }

    /// The number of the alert that the peer sent, if that is what went wrong (RFC 8446 section 6).
    var peerAlert: Int32? {
        // OpenSSL reports a received alert N as reason 1000 + N.
        let alerts = Int32(SSL_AD_REASON_OFFSET)...Int32(SSL_AD_REASON_OFFSET) + 255
        let entry = self.entries.first { $0.library == ERR_LIB_SSL && alerts.contains($0.reason) }
        return entry.map { $0.reason - alerts.lowerBound }
    }
}

extension TLSError {
    /// `.library` with what was attempted and the thread's error queue, which is empty afterwards.
    static func library(_ attempt: String) -> TLSError {
        TLSError(.library, "OpenSSL could not \(attempt): \(OpenSSLErrors.drain().text)")
    }

    /// Returns the error for OpenSSL's errors on an open connection.
    static func broken(_ errors: OpenSSLErrors) -> TLSError {
        // RFC 8446 section 4.4.2.4: with TLS 1.3 the client has finished the handshake by then.
        if errors.peerAlert == SSL_AD_CERTIFICATE_REQUIRED {
            return TLSError(.clientCertificateRequired, "the server wants a client certificate, and was shown none")
        }
        return TLSError(.protocol, "the TLS connection broke: \(errors.text)")
    }
}

/// The value of an OpenSSL call that answers nil when it fails.
func require<Value>(_ value: Value?, _ attempt: @autoclosure () -> String) throws -> Value {
    guard let value else {
        throw TLSError.library(attempt())
    }
    return value
}

/// Checks an OpenSSL call that answers zero or less when it fails.
func require(success status: Int32, _ attempt: @autoclosure () -> String) throws {
    guard status > 0 else {
        throw TLSError.library(attempt())
    }
}
