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

    /// The status a proxy answers with when the origin was not reached (RFC 9110 sections 15.6.3 and 15.6.5); `nil`
    /// for faults that the client meets on its own connection.
    package var gatewayStatus: Int? {
        switch self {
        case .connectionRefused, .tlsHandshake, .nameNotResolved, .malformedResponse: 502
        case .timeout: 504
        case .connectionReset, .emptyResponse, .truncatedBody: nil
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
