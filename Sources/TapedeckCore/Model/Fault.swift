/// A way in which an exchange fails instead of ending with a response.
///
/// Each is played so that the client meets what it met when the exchange was recorded.
package enum Fault: String, Sendable, CaseIterable {
    /// Nothing listens at the origin, or there is no route to it. The client gets a 502.
    case connectionRefused
    /// The connection is reset before a response is complete. The client's connection is reset.
    case connectionReset
    /// The origin did not answer in time. The client gets a 504.
    case timeout
    /// The connection is closed before the first byte of a response. So is the client's.
    case emptyResponse
    /// The connection is closed in the middle of a body. The client gets the part that was sent, then the end.
    case truncatedBody
    /// The TLS handshake with the origin fails. The client gets a 502.
    case tlsHandshake
    /// The host name has no address. The client gets a 502.
    case nameNotResolved
    /// The origin's response is not HTTP. The client gets a 502.
    case malformedResponse
    /// No answer ever comes. The connection stays open until the client gives up or the deck stops.
    case hang
    /// Bytes that are not HTTP, then the end of the connection.
    case garbage
    /// The head of the response, then a reset before the first byte of the body.
    case resetBeforeBody
    /// Head and half of the body, then a reset.
    case resetDuringBody
    /// The whole response, then a reset instead of an orderly close.
    case resetAfterBody
    /// The origin resets the stream of HTTP/2 before a response. So is the client's; over HTTP/1.1, its connection.
    case streamReset
    /// The whole response, on a connection that takes no further request: GOAWAY over HTTP/2 (RFC 9113 section 6.8),
    /// `Connection: close` over HTTP/1.1.
    case goAway
    /// A GOAWAY that leaves the request out, so that the client may send it again; over HTTP/1.1 the end of the connection.
    case goAwayRefused
    /// The whole response without its trailer fields.
    case missingTrailers
    /// Head and half of the body, then nothing until the client gives up or the deck stops.
    case stalledBody
    /// No answer ever comes, and the body of the request is not read either: its window stays closed.
    case stalledWindow
    /// A frame that breaks the rules of HTTP/2, then the end of the connection; over HTTP/1.1 as `garbage`.
    case badFrame
    /// A chunked body that ends with a chunk whose size is not a number.
    case malformedChunk

    /// The end of the exchange for the client.
    package enum Ending: Sendable, Equatable {
        /// With a response of the deck's own, a 502 or 504 (RFC 9110 sections 15.6.3 and 15.6.5).
        case gateway(Int)
        /// With a reset of the connection.
        case reset
        /// With a reset of the stream, where the client speaks HTTP/2; else of the connection.
        case streamReset
        /// With the end of the response, after which the connection takes no further request.
        case goAway
        /// With a GOAWAY that leaves the request out, where the client speaks HTTP/2; else with the end of the connection.
        case goAwayRefused
        /// With the end of the response.
        case complete
        /// With the end of the connection; of the stream alone, where the client speaks HTTP/2.
        case cut
        /// Bytes that are not HTTP, then the end of the connection.
        case garbage
        /// With a frame that is none, where the client speaks HTTP/2; else as ``garbage``.
        case badFrame
        /// Not before the client gives up or the deck stops.
        case hang
    }

    /// The part of a body that the client gets.
    private enum Part {
        case nothing
        case half
        case whole
    }

    /// All there is to say of each fault: its ending, how much of a body comes before (`nil` if no head does, either),
    /// the details that it can have, and half a sentence for people.
    private var traits: (ending: Ending, body: Part?, options: [FaultOptions.Key], explanation: String) {
        switch self {
        case .connectionRefused: (.gateway(502), nil, [], "the connection was refused")
        case .connectionReset: (.reset, nil, [], "the connection was reset")
        case .timeout: (.gateway(504), nil, [], "no answer came in time")
        case .emptyResponse: (.cut, nil, [], "the connection was closed without a response")
        case .truncatedBody: (.cut, .whole, [.code, .after], "the connection was closed in the middle of the body")
        case .tlsHandshake: (.gateway(502), nil, [], "the TLS handshake failed")
        case .nameNotResolved: (.gateway(502), nil, [], "the host name could not be resolved")
        case .malformedResponse: (.gateway(502), nil, [], "what came is no valid HTTP response")
        case .hang: (.hang, nil, [], "no answer ever came")
        case .garbage: (.garbage, nil, [], "what came is no HTTP")
        case .resetBeforeBody: (.reset, .nothing, [], "the connection was reset before the body")
        case .resetDuringBody: (.reset, .half, [.after], "the connection was reset in the middle of the body")
        case .resetAfterBody: (.reset, .whole, [], "the connection was reset after the body")
        case .streamReset: (.streamReset, nil, [.code], "the stream was reset")
        case .goAway: (.goAway, .whole, [.code], "the connection takes no further request")
        case .goAwayRefused: (.goAwayRefused, nil, [.code, .lastStream], "the connection took the request no more")
        case .missingTrailers: (.complete, .whole, [], "the trailer fields were missing")
        case .stalledBody: (.hang, .half, [.after], "the body did not go on")
        case .stalledWindow: (.hang, nil, [], "the body of the request was not read, and no answer ever came")
        case .badFrame: (.badFrame, nil, [], "a frame broke the rules of HTTP/2")
        case .malformedChunk: (.cut, .half, [.after], "a chunk of the body was malformed")
        }
    }

    /// The end of the exchange for the client.
    package var ending: Ending { self.traits.ending }

    /// True if it includes a part of a response: a status, headers, a body.
    package var hasResponse: Bool { self.traits.body != nil }

    /// A description of the failure, as half a sentence.
    package var explanation: String { self.traits.explanation }

    /// The status of the deck's own response; `nil` for faults that the client meets on its own connection.
    package var gatewayStatus: Int? {
        if case .gateway(let status) = self.ending { status } else { nil }
    }

    /// The details that it can have.
    package var options: [FaultOptions.Key] { self.traits.options }

    /// The code of the frame that ends the exchange over HTTP/2, unless the fault has one of its own.
    package var code: HTTP2ErrorCode { self == .goAway || self == .goAwayRefused ? .noError : .internalError }

    /// Returns the number of bytes of a body that the client gets, where nothing else is said.
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
