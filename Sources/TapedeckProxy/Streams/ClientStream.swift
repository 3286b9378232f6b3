import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// The client's end of one exchange, whatever carries it.
///
/// An exchange says what is sent, a stream how: framing, header compression and what becomes of the connection are the
/// stream's alone. ``ClientConnection`` is the stream of its one exchange under way. Everything happens on one event loop.
protocol ClientStream: AnyObject {
    /// True while the client takes what is sent.
    var isWritable: Bool { get }
    /// True once the client has said that it sends no more. It may wait for its answer, or be gone.
    var hasFinishedSending: Bool { get }

    /// Reads on, if the exchange takes more of the request's body; see ``Exchange/canTakeBody``.
    func resumeReading()

    // MARK: Responses that come part by part

    /// Has the client send the body that it offered (RFC 9110 section 10.1.1).
    func sendContinue()
    /// Sends an interim response.
    func sendInterim(_ head: ResponseHead)
    /// Sends the head of the response. Returns its fields as the client gets them.
    ///
    /// - Parameters:
    ///   - head: with the framing fields of the origin.
    ///   - end: the way in which the origin says where the body ends.
    @discardableResult
    func sendHead(_ head: ResponseHead, end: BodyEnd) -> [HeaderField]
    func sendBody(_ bytes: ByteBuffer)
    /// Ends the body. The exchange is over with ``finish(_:)``.
    func sendEnd(trailers: [HeaderField])

    // MARK: Responses that are whole

    /// Sends all of a response.
    func send(_ response: PlayableResponse)
    /// Sends the head of a response whose body goes out part by part.
    func sendHead(of response: PlayableResponse)
    /// Sends a part of its body.
    ///
    /// - Parameter written: succeeds when the socket has it.
    func sendBody(_ bytes: ByteBuffer, of response: PlayableResponse, written: EventLoopPromise<Void>)
    /// Ends its body.
    func sendEnd(of response: PlayableResponse)
    /// Sends an answer of Tapedeck's own.
    func send(_ answer: LocalResponse)
    /// Sends bytes that are no response, as a broken server would.
    func sendGarbage()

    // MARK: Ends

    /// The exchange has ended: the stream takes the next request, or ends.
    func finish(_ ending: StreamEnding)
    /// From here on bytes are bytes: joins the client with `peer`, and returns the client's end.
    func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer
    /// Takes up what has waited for the end of an answer, and sends what was written.
    func goOn()
    /// Sends what was written.
    func flush()
    /// Ends without a further word.
    func closeNow()
}

/// How a response says where its body ends.
enum BodyEnd: Sendable, Equatable {
    /// Its head says it: by a length, or since there is no body.
    case byHead
    /// What is behind the body does: a last chunk, or the end of an HTTP/2 stream.
    case marked
    /// The end of the connection does (RFC 9112 section 6.3).
    case atClose
}

/// How an exchange leaves its stream.
enum StreamEnding: Sendable, Equatable {
    /// The response is complete, or was left to the client as it is. A stream that can carry another request does.
    case complete
    /// The response is complete, and said that the connection closes.
    case completeAndClosed
    /// The client must not take what came for a complete response.
    case cut
    /// The exchange alone is reset, where that can be; else the connection.
    case streamReset
    /// The connection is reset.
    case reset

    init(_ ending: PlayableResponse.Ending) {
        self =
            switch ending {
            case .keepAlive: .complete
            case .close: .completeAndClosed
            case .cut: .cut
            case .reset: .reset
            }
    }
}
