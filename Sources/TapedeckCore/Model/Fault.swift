/// A way in which an exchange fails instead of ending with a response.
///
/// Each is played so that the client meets what it met when the exchange was recorded.
package enum Fault: String, Sendable, CaseIterable {
    /// Nobody listens at the origin, or no route leads there. The client gets a 502.
    case connectionRefused
    /// The connection is reset before a response is complete. The client's connection is reset.
    case connectionReset
    /// The origin did not answer in time. The client gets a 504.
    case timeout
    /// The connection is closed before the first byte of a response. So is the client's.
    case emptyResponse
    /// The connection is closed in the middle of a body. The client gets what there is of it, then the end.
    case truncatedBody
    /// The TLS handshake with the origin fails. The client gets a 502.
    case tlsHandshake
    /// The host name has no address. The client gets a 502.
    case nameNotResolved
    /// What the origin sends is no HTTP response. The client gets a 502.
    case malformedResponse
    /// No answer ever comes. The connection stays open until the client gives up or the deck stops.
    case hang
    /// Bytes that are no HTTP, then the end of the connection.
    case garbage
    /// The head of the response, then a reset before the first byte of the body.
    case resetBeforeBody
    /// Head and half of the body, then a reset.
    case resetDuringBody
    /// The whole response, then a reset instead of an orderly close.
    case resetAfterBody
    /// A chunked body that breaks off with a chunk whose size is no number.
    case malformedChunk

    /// The status a proxy answers with when the origin was not reached (RFC 9110 sections 15.6.3 and 15.6.5); `nil`
    /// for faults that the client meets on its own connection.
    package var gatewayStatus: Int? {
        switch self {
        case .connectionRefused, .tlsHandshake, .nameNotResolved, .malformedResponse: 502
        case .timeout: 504
        case .connectionReset, .emptyResponse, .truncatedBody, .hang, .garbage, .resetBeforeBody, .resetDuringBody,
            .resetAfterBody, .malformedChunk:
            nil
        }
    }

    /// Whether a part of a response goes with it: a status, headers, a body.
    package var hasResponse: Bool {
        switch self {
        case .truncatedBody, .resetBeforeBody, .resetDuringBody, .resetAfterBody, .malformedChunk: true
        default: false
        }
    }

    /// What happened, as half a sentence.
    package var explanation: String {
        switch self {
        case .connectionRefused: "the connection was refused"
        case .connectionReset: "the connection was reset"
        case .timeout: "no answer came in time"
        case .emptyResponse: "the connection was closed without a response"
        case .truncatedBody: "the connection was closed in the middle of the body"
        case .tlsHandshake: "the TLS handshake failed"
        case .nameNotResolved: "the host name could not be resolved"
        case .malformedResponse: "what came is no valid HTTP response"
        case .hang: "no answer ever came"
        case .garbage: "what came is no HTTP"
        case .resetBeforeBody: "the connection was reset before the body"
        case .resetDuringBody: "the connection was reset in the middle of the body"
        case .resetAfterBody: "the connection was reset after the body"
        case .malformedChunk: "a chunk of the body was malformed"
        }
    }

    /// The JSON body of the 502 or 504. It says the same when recorded and when replayed, so it holds nothing that
    /// changes from run to run.
    package func gatewayBody(method: String, url: String, detail: String?) -> JSONText {
        var members: [(String, JSONText)] = [
            ("error", .string(self.rawValue)),
            ("message", .string("Tapedeck could not get an answer for \(method) \(url): \(self.explanation).")),
        ]
        if let detail {
            members.append(("detail", .string(detail)))
        }
        return .object(members)
    }
}
