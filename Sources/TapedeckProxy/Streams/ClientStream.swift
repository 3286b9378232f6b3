import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// The client's end of one exchange, over any transport.
///
/// An exchange decides what is sent; the stream does the framing, header compression and handling of the connection.
/// ``ClientConnection`` is the stream of its current exchange. Everything happens on one event loop.
protocol ClientStream: AnyObject {
    /// True while the client takes what is sent.
    var isWritable: Bool { get }
    /// True once the client has ended its output. It may wait for its answer, or have disconnected.
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
    /// Sends the head of a response whose body is sent in parts.
    func sendHead(of response: PlayableResponse)
    /// Sends a part of its body.
    ///
    /// - Parameter written: succeeds when the socket has it.
    func sendBody(_ bytes: ByteBuffer, of response: PlayableResponse, written: EventLoopPromise<Void>)
    /// Ends its body.
    func sendEnd(of response: PlayableResponse)
    /// Sends an answer of Tapedeck's own.
    func send(_ answer: LocalResponse)
    /// Sends bytes that are not a response, as a broken server would. Does nothing over HTTP/2, where they would end the
    /// other exchanges of the connection.
    func sendGarbage()

    // MARK: Ends

    /// The exchange has ended: the stream takes the next request, or ends.
    func finish(_ ending: StreamEnding)
    /// From here on bytes are bytes: joins the client with `peer`, and returns the client's end.
    func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer
    /// Processes input that has waited for the end of an answer, and sends written bytes.
    func goOn()
    /// Sends what was written.
    func flush()
    /// Ends without a further word.
    func closeNow()
}

/// The way in which a response marks the end of its body.
enum BodyEnd: Sendable, Equatable {
    /// By the head: a length, or no body.
    case byHead
    /// By a mark after the body: a last chunk, or the end of an HTTP/2 stream.
    case marked
    /// The end of the connection does (RFC 9112 section 6.3).
    case atClose
}
