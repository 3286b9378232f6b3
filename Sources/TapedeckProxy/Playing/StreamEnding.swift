import TapedeckCore

/// The state in which an exchange leaves its stream.
enum StreamEnding: Sendable, Equatable {
    /// The response is complete, or was left to the client as it is. A stream that can carry another request does.
    case complete
    /// The response is complete, and its header closes the connection.
    case completeAndClosed
    /// The response is complete, and the connection takes no further request.
    case goAway(HTTP2ErrorCode)
    /// The client must not take what came for a complete response. The code is that of the reset over HTTP/2.
    case cut(HTTP2ErrorCode)
    /// The exchange alone is reset, where that can be; else the connection.
    case streamReset(HTTP2ErrorCode)
    /// The connection takes no further request, nor this one, which the client may send again on another. Over HTTP/1.1 the
    /// connection ends.
    ///
    /// - lastStream: the last stream that it takes; `nil` is the one before.
    case refused(HTTP2ErrorCode, lastStream: Int?)
    /// Bytes that break the protocol of the client's connection, and its end.
    case garbage
    /// The connection is reset.
    case reset

    /// The end of an exchange that must not pass for complete.
    static let cut = StreamEnding.cut(.internalError)

    /// True if the client has a complete response.
    var isComplete: Bool {
        switch self {
        case .complete, .completeAndClosed, .goAway: true
        case .cut, .streamReset, .refused, .garbage, .reset: false
        }
    }
}
