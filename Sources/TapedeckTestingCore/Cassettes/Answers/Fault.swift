/// A way in which an exchange fails instead of ending with a response.
public enum Fault: String, Sendable, CaseIterable {
    /// Nobody listens at the origin, or no route leads there. The client gets a 502.
    case connectionRefused
    /// The host name has no address. The client gets a 502.
    case nameNotResolved
    /// The TLS handshake with the origin fails. The client gets a 502.
    case tlsHandshake
    /// The origin did not answer in time. The client gets a 504, at once.
    case timeout
    /// The origin's response is not HTTP. The client gets a 502.
    case malformedResponse
    /// The connection is reset before a byte of an answer.
    case connectionReset
    /// The connection is closed before a byte of an answer.
    case emptyResponse
    /// The body breaks off and the connection ends: its `content-length` promises more than comes, by one byte where the
    /// response has none of its own.
    case truncatedBody
    /// No answer ever comes; the connection stays open until the client gives up.
    case hang
    /// Bytes that are no HTTP, then the end of the connection.
    case garbage
    /// The head of the response, then a reset before the first byte of the body.
    case resetBeforeBody
    /// The head and half of the body, then a reset.
    case resetDuringBody
    /// The whole response, then a reset instead of an orderly close.
    case resetAfterBody
    /// The HTTP/2 stream is reset before an answer; over HTTP/1.1, the connection.
    case streamReset
    /// A chunked body: half of it, then a chunk whose size is no number.
    case malformedChunk

    /// True if a response, or a part of one, goes with it.
    public var hasResponse: Bool {
        switch self {
        case .truncatedBody, .resetBeforeBody, .resetDuringBody, .resetAfterBody, .malformedChunk: true
        default: false
        }
    }
}
