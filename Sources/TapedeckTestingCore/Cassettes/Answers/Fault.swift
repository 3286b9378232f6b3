extension Tapedeck {
    /// A way in which an exchange fails instead of ending with a response.
    public enum Fault: String, Sendable, CaseIterable {
        /// Nothing listens at the origin, or there is no route to it. The client gets a 502.
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
        /// The body is cut and the connection ends: its `content-length` promises more than is sent, by one byte if the
        /// response has none.
        case truncatedBody
        /// No answer ever comes; the connection stays open until the client gives up.
        case hang
        /// Bytes that are not HTTP, then the end of the connection.
        case garbage
        /// The head of the response, then a reset before the first byte of the body.
        case resetBeforeBody
        /// The head and half of the body, then a reset.
        case resetDuringBody
        /// The whole response, then a reset instead of an orderly close.
        case resetAfterBody
        /// The HTTP/2 stream is reset before an answer; over HTTP/1.1, the connection.
        case streamReset
        /// The whole response, on a connection that takes no further request: GOAWAY over HTTP/2, `Connection: close` over
        /// HTTP/1.1.
        case goAway
        /// A GOAWAY that leaves the request out, so that the client may send it again; over HTTP/1.1 the end of the connection.
        case goAwayRefused
        /// The whole response without its trailer fields.
        case missingTrailers
        /// The head and half of the body, then nothing until the client gives up.
        case stalledBody
        /// No answer, and the body of the request is not read either: over HTTP/2 its window stays closed.
        case stalledWindow
        /// A frame that breaks the rules of HTTP/2, then the end of the connection; over HTTP/1.1 as ``garbage``.
        case badFrame
        /// A chunked body: half of it, then a chunk whose size is not a number.
        case malformedChunk

        /// True if it includes a response, or a part of one.
        package var hasResponse: Bool {
            switch self {
            case .truncatedBody, .resetBeforeBody, .resetDuringBody, .resetAfterBody, .malformedChunk, .goAway,
                .missingTrailers, .stalledBody:
                true
            default: false
            }
        }

        /// How much of a body comes before a fault.
        public enum Point: Sendable, Equatable {
            case bytes(Int)
            /// Messages of gRPC.
            case messages(Int)
        }
    }
}
