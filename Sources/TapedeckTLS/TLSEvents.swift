/// Fired as a user inbound event when the handshake is done, before any plaintext.
package struct TLSHandshakeCompleted: Sendable, Equatable {
    /// `TLSv1.3` or `TLSv1.2`.
    package var version: String
    /// The protocol that ALPN selected (RFC 7301); nil if one side did not take part.
    package var applicationProtocol: String?
    /// The client's SNI name (RFC 6066 section 3); nil if it sent none.
    package var serverName: String?
    /// True if an earlier session was resumed.
    package var resumed: Bool
}

/// Fired as a user inbound event, before `channelInactive` or `ChannelEvent.inputClosed`, when the
/// peer's TCP stream ended without close_notify: what came last may be incomplete (RFC 8446 section 6.1).
package struct TLSTruncated: Sendable {}

/// An outbound user event that makes ``TLSHandler`` abandon the connection without a TLS close: it sends nothing more,
/// drops what it receives and passes a close straight through.
///
/// For a reset or a cut in the middle of a body, where close_notify would vouch for the data (RFC 8446 section 6.1).
/// Unflushed writes fail.
package struct AbandonTLS: Sendable {
    /// The event has no parts.
    package init() {}
}
