/// Fired down the pipeline with `fireErrorCaught` when a handshake fails; ``TLSHandler`` sends its
/// alert and closes the channel by itself.
package struct TLSHandshakeFailure: Error, Sendable, CustomStringConvertible {
    /// The reason of the failure.
    package enum Reason: Sendable, Equatable {
        /// Server side: the client does not trust our certificate, in practice our CA. `alert` is the
        /// name of its alert in RFC 8446 section 6, such as `unknown_ca`.
        case peerRejectedCertificate(alert: String)
        /// Client side: the server's certificate does not pass; `cause` is OpenSSL's text, such as
        /// "self-signed certificate", "certificate has expired" or "hostname mismatch".
        case certificateInvalid(cause: String)
        /// The peer closed the connection before the handshake was done.
        case closed
        /// Client and server have no ALPN protocol in common.
        case noApplicationProtocol
        /// Anything else, in OpenSSL's words.
        case protocolError(String)
    }

    /// On the server's side the requested name, else the connection's fallback; on the client's side the host of the
    /// connection.
    package var host: String
    /// The reason of the failure.
    package var reason: Reason

    /// A failure of a handshake for `host`.
    package init(host: String, reason: Reason) {
        self.host = host
        self.reason = reason
    }

    package var description: String {
        switch self.reason {
        case .peerRejectedCertificate(let alert):
            "the client refused the certificate for \(self.host) (alert \(alert)): "
                + "it does not trust the Tapedeck CA; make it trust ca.pem"
        case .certificateInvalid(let cause):
            "the certificate of \(self.host) is not valid: \(cause)"
        case .closed:
            "the peer closed the connection during the TLS handshake for \(self.host)"
        case .noApplicationProtocol:
            "no application protocol in common for \(self.host): only HTTP/1.1 is spoken"
        case .protocolError(let text):
            "TLS handshake for \(self.host) failed: \(text)"
        }
    }

    /// The name of an alert by which a peer refuses a certificate (RFC 8446 section 6.2), nil for others.
    static func certificateAlert(_ number: Int32) -> String? {
        switch number {
        case 42: "bad_certificate"
        case 43: "unsupported_certificate"
        case 44: "certificate_revoked"
        case 45: "certificate_expired"
        case 46: "certificate_unknown"
        case 48: "unknown_ca"
        default: nil
        }
    }
}
