/// An outbound user event that makes ``TLSHandler`` let go of the connection without ending it the way
/// TLS does: from then on it sends nothing, drops what comes in and passes a close straight through.
///
/// For a reset or a cut in the middle of a body, where close_notify would vouch for what was sent
/// (RFC 8446 section 6.1). Writes that have not been flushed fail.
package struct AbandonTLS: Sendable {
    /// The event has no parts.
    package init() {}
}
