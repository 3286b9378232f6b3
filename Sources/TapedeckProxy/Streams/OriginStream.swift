import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckSessions

/// The origin's end of one exchange, over any transport: sends a request and receives its response.
/// ``UpstreamConnection`` is one, for one exchange at a time. Everything happens on one event loop.
protocol OriginStream: AnyObject {
    /// True while the origin takes what is sent.
    var isWritable: Bool { get }
    /// True if the origin speaks HTTP/2.
    var isHTTP2: Bool { get }

    /// Sends the head of a request. Its response goes to `receiver`, until it ends or ``close()`` is called.
    ///
    /// - Parameters:
    ///   - head: with the fields for the origin, including framing fields of the client.
    ///   - form: the form of a request of HTTP/2; `nil` for one of HTTP/1.
    ///   - isHead: true for HEAD, whose response has no body.
    func send(_ head: RequestHead, form: HTTP2RequestForm?, isHead: Bool, to receiver: any ResponseReceiver)
    func sendBody(_ bytes: ByteBuffer)
    /// The request is complete.
    func sendEnd(trailers: [HeaderField])
    /// Sends what was written.
    func flush()
    /// Reads on, if the receiver takes more of the response.
    func resumeReading()
    /// The rest of the response goes to another receiver.
    func hand(to receiver: any ResponseReceiver)
    /// Gives the exchange up. The receiver hears nothing more.
    func close()
    /// No request is sent on it after all.
    func giveBack()
}

/// The requests that may be sent again after a failure.
enum Resending {
    case none
    /// The connection had been used before and gave no byte for the request, so that the origin probably closed it at that
    /// moment: an idempotent one (RFC 9112 section 9.3.1).
    case idempotent
    /// The origin has not looked at it (RFC 9113 section 8.7): any.
    case any
}

/// Gets the response to a request, part by part.
protocol ResponseReceiver: AnyObject {
    /// The origin of the request.
    var origin: Origin { get }
    /// True while more of the response can be taken.
    var canTakeResponse: Bool { get }

    /// The origin takes more of the request.
    func originBecameWritable()
    /// An interim response.
    func receiveInterim(_ head: ResponseHead)
    /// The next head was malformed, and was repaired (``RepairedHead``).
    func note(repairs: [String])
    /// The head of the final response.
    ///
    /// - Parameters:
    ///   - end: how the end of the body is marked.
    ///   - hasBody: true if a body follows.
    func receiveHead(_ head: ResponseHead, end: BodyEnd, hasBody: Bool)
    /// A piece of the body.
    ///
    /// - Parameter isLast: true if only the end follows.
    func receiveBody(_ bytes: ByteBuffer, isLast: Bool)
    /// The response is complete.
    func receiveEnd(_ trailers: [HeaderField])
    /// The origin switches protocols, and `origin` is its end. Returns the end that receives its bytes from here on;
    /// `nil` if the switch was not requested.
    func upgraded(_ head: ResponseHead, _ origin: any OpaquePeer) -> (any OpaquePeer)?
    /// There is no complete response.
    ///
    /// - Parameter resending: whether the request may be sent again.
    func fail(_ failure: UpstreamFailure, _ resending: Resending)
    /// All that has come for now has been handed on.
    func pause()
}
