/// Fired as a user inbound event when the handshake is done, before any plaintext.
package struct TLSHandshakeCompleted: Sendable, Equatable {
    /// `TLSv1.3` or `TLSv1.2`.
    package var version: String
    /// The protocol that ALPN selected (RFC 7301); nil if one side did not take part.
    package var applicationProtocol: String?
    /// The name the client asked for by SNI (RFC 6066 section 3); nil when it sent none.
    package var serverName: String?
    /// True if an earlier session was resumed.
    package var resumed: Bool
}

/// Fired as a user inbound event, before `channelInactive` or `ChannelEvent.inputClosed`, when the
/// peer's TCP stream ended without close_notify: what came last may be incomplete (RFC 8446 section 6.1).
package struct TLSTruncated: Sendable {}
