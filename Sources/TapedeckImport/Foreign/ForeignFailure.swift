import TapedeckCore

/// A failed request in the words of a browser, of mitmproxy or of a client library.
struct ForeignFailure {
    /// The fault for the client; `nil` for one that no server causes, such as a request that the page cancelled.
    let fault: Fault?

    init(_ text: String) {
        let name = text.uppercased()
        if let named = Self.names.first(where: { name.contains($0.0) }) {
            self.fault = named.1
        } else if Self.ofTheClient.contains(where: name.contains) {
            self.fault = nil
        } else {
            // A request ended without an answer, for any other word.
            self.fault = Self.words.first { name.contains($0.0) }?.1 ?? .emptyResponse
        }
    }

    /// Parts of the names that Chrome (`net::ERR_…`), Firefox (`NS_ERROR_…`) and Node use.
    private static let names: [(String, Fault)] = [
        ("CONNECTION_REFUSED", .connectionRefused), ("ECONNREFUSED", .connectionRefused),
        ("ADDRESS_UNREACHABLE", .connectionRefused), ("NAME_NOT_RESOLVED", .nameNotResolved),
        ("NAME_RESOLUTION", .nameNotResolved), ("UNKNOWN_HOST", .nameNotResolved), ("ENOTFOUND", .nameNotResolved),
        ("CONNECTION_RESET", .connectionReset), ("NET_RESET", .connectionReset), ("ECONNRESET", .connectionReset),
        ("EMPTY_RESPONSE", .emptyResponse), ("CONNECTION_CLOSED", .emptyResponse),
        ("NET_INTERRUPT", .connectionReset), ("NET_PARTIAL_TRANSFER", .connectionReset),
        ("SOCKET HANG UP", .emptyResponse), ("TIMED_OUT", .timeout), ("NET_TIMEOUT", .timeout),
        ("ETIMEDOUT", .timeout), ("ERR_SSL", .tlsHandshake), ("ERR_CERT", .tlsHandshake),
        ("SEC_ERROR", .tlsHandshake), ("SSL_ERROR", .tlsHandshake),
        ("INVALID_HTTP_RESPONSE", .malformedResponse), ("HTTP2_PROTOCOL_ERROR", .connectionReset),
        ("QUIC_PROTOCOL_ERROR", .connectionReset),
    ]

    /// Parts of names for what the client did: all others of browsers, and those who went away.
    private static let ofTheClient = [
        "NET::ERR_", "NS_ERROR", "NS_BINDING", "CANCEL", "ABORT", "CLIENT DISCONNECT", "CONNECTION KILLED", "BLOCKED",
    ]

    /// Words of mitmproxy, WebKit and others.
    private static let words: [(String, Fault)] = [
        ("REFUSED", .connectionRefused), ("ERRNO 111", .connectionRefused), ("NAME OR SERVICE", .nameNotResolved),
        ("GETADDRINFO", .nameNotResolved), ("RESOLVE", .nameNotResolved), ("TIMED OUT", .timeout),
        ("TIMEOUT", .timeout), ("TLS", .tlsHandshake), ("CERTIFICATE", .tlsHandshake), ("SSL", .tlsHandshake),
        ("RESET", .connectionReset), ("INVALID", .malformedResponse), ("MALFORMED", .malformedResponse),
    ]
}
