import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// The origin's end of one exchange, whatever carries it: something to send a request on and to receive its response
/// from. ``UpstreamConnection`` is one, for one exchange at a time. Everything happens on one event loop.
protocol OriginStream: AnyObject {
    /// True while the origin takes what is sent.
    var isWritable: Bool { get }
    /// True if the origin speaks HTTP/2.
    var isHTTP2: Bool { get }

    /// Sends the head of a request. Its response goes to `receiver`, until it ends or ``close()`` is called.
    ///
    /// - Parameters:
    ///   - head: with the fields that the origin is to get, framing fields of the client included.
    ///   - isHead: no body comes, whatever the response says.
    func send(_ head: RequestHead, isHead: Bool, to receiver: any ResponseReceiver)
    func sendBody(_ bytes: ByteBuffer)
    /// The request is complete.
    func sendEnd(trailers: [HeaderField])
    /// Sends what was written.
    func flush()
    /// Reads on, if the receiver takes more of the response.
    func resumeReading()
    /// Gives the exchange up. The receiver hears nothing more.
    func close()
}

/// Gets the response to a request, part by part.
protocol ResponseReceiver: AnyObject {
    /// The origin that was asked.
    var origin: Origin { get }
    /// True while more of the response can be taken.
    var canTakeResponse: Bool { get }

    /// The origin takes more of the request.
    func originBecameWritable()
    /// An interim response.
    func receiveInterim(_ head: ResponseHead)
    /// The head of the final response.
    ///
    /// - Parameters:
    ///   - end: the way in which it is said where the body ends.
    ///   - hasBody: anything is still to come.
    func receiveHead(_ head: ResponseHead, end: BodyEnd, hasBody: Bool)
    /// A piece of the body.
    ///
    /// - Parameter isLast: nothing but the end comes behind it.
    func receiveBody(_ bytes: ByteBuffer, isLast: Bool)
    /// The response is complete.
    func receiveEnd(_ trailers: [HeaderField])
    /// The origin switches protocols, and `origin` is its end. Returns the end that takes its bytes from here on; `nil`
    /// where nobody asked for that.
    func upgraded(_ head: ResponseHead, _ origin: any OpaquePeer) -> (any OpaquePeer)?
    /// There is no complete response.
    ///
    /// - Parameter onReused: the connection had been used before and gave not a byte for this request, so the origin
    ///   probably closed it just then.
    func fail(_ failure: UpstreamFailure, onReused: Bool)
    /// All that has come for now has been handed on.
    func pause()
}
