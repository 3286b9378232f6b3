package import TapedeckCore

/// The fields that a message must not have in its trailers (RFC 9110 section 6.5.1). The tape keeps them as received,
/// and they are not sent: a client that merges trailers into the header must not be misled.
package enum TrailerFields {
    private static let forbidden: Set<String> = [
        // Framing and routing.
        "content-length", "host", "transfer-encoding", "trailer",
        // Connection options (RFC 9110 section 7.6.1).
        "connection", "keep-alive", "proxy-connection", "te", "upgrade",
        // Request modifiers.
        "cache-control", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "max-forwards", "pragma", "range",
        // Authentication and cookies.
        "authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate",
        // Control data of responses.
        "age", "date", "expires", "location", "retry-after", "vary", "warning",
        // The processing of the content.
        "content-encoding", "content-range", "content-type",
    ]

    /// Returns the trailers that may be sent.
    package static func sendable(_ trailers: [HeaderField]) -> [HeaderField] {
        guard !trailers.isEmpty else { return [] }
        return trailers.filter { field in
            let name = ASCII.lowercased(field.name)
            return !self.forbidden.contains(name) && !OwnFields.contains(field)
        }
    }
}
