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
    /// The origin resets the stream of HTTP/2 before a response. So is the client's; over HTTP/1.1, its connection.
    case streamReset
    /// A chunked body that breaks off with a chunk whose size is no number.
    case malformedChunk

    /// How the exchange ends for the client.
    package enum Ending: Sendable, Equatable {
        /// With a response of the deck's own, a 502 or 504 (RFC 9110 sections 15.6.3 and 15.6.5).
        case gateway(Int)
        /// With a reset of the connection.
        case reset
        /// With a reset of the stream, where the client speaks HTTP/2; else of the connection.
        case streamReset
        /// With the end of the connection; of the stream alone, where the client speaks HTTP/2.
        case cut
        /// With bytes that are no HTTP, then the end of the connection.
        case garbage
        /// Not before the client gives up or the deck stops.
        case hang
    }

    /// The part of a body that the client gets.
    private enum Part {
        case nothing
        case half
        case whole
    }

    /// All there is to say of each fault: its ending, how much of a body comes before (`nil` if no head does, either), and
    /// half a sentence for people.
    private var traits: (ending: Ending, body: Part?, explanation: String) {
        switch self {
        case .connectionRefused: (.gateway(502), nil, "the connection was refused")
        case .connectionReset: (.reset, nil, "the connection was reset")
        case .timeout: (.gateway(504), nil, "no answer came in time")
        case .emptyResponse: (.cut, nil, "the connection was closed without a response")
        case .truncatedBody: (.cut, .whole, "the connection was closed in the middle of the body")
        case .tlsHandshake: (.gateway(502), nil, "the TLS handshake failed")
        case .nameNotResolved: (.gateway(502), nil, "the host name could not be resolved")
        case .malformedResponse: (.gateway(502), nil, "what came is no valid HTTP response")
        case .hang: (.hang, nil, "no answer ever came")
        case .garbage: (.garbage, nil, "what came is no HTTP")
        case .resetBeforeBody: (.reset, .nothing, "the connection was reset before the body")
        case .resetDuringBody: (.reset, .half, "the connection was reset in the middle of the body")
        case .resetAfterBody: (.reset, .whole, "the connection was reset after the body")
        case .streamReset: (.streamReset, nil, "the stream was reset")
        case .malformedChunk: (.cut, .half, "a chunk of the body was malformed")
        }
    }

    /// How the exchange ends for the client.
    package var ending: Ending { self.traits.ending }

    /// True if a part of a response goes with it: a status, headers, a body.
    package var hasResponse: Bool { self.traits.body != nil }

    /// What happened, as half a sentence.
    package var explanation: String { self.traits.explanation }

    /// The status of the deck's own response; `nil` for faults that the client meets on its own connection.
    package var gatewayStatus: Int? {
        if case .gateway(let status) = self.ending { status } else { nil }
    }

    /// Returns the number of bytes of a body that the client gets.
    package func sentLength(of length: Int) -> Int {
        switch self.traits.body {
        case .nothing: 0
        case .half: length / 2
        case .whole, nil: length
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
