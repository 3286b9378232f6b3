import NIOCore
import TapedeckCore
import TapedeckHTTP1

/// The framing of a response's body on the client's connection (RFC 9112 section 6, RFC 9113 section 8.1).
enum ResponseFraming: Sendable, Equatable {
    /// No body, whatever the header fields say: the answer to HEAD, 204 and 304.
    case none
    case length(Int)
    case chunked
    case untilClose
    /// The end of an HTTP/2 stream ends it.
    case stream
}

/// The version of HTTP that a client speaks.
enum ClientVersion: UInt8, Sendable, Hashable {
    /// Without chunks and interim responses; closes by default.
    case http10
    case http11
    case http2
}

/// The client's abilities that affect the bytes of a response.
struct ClientAbilities: Sendable, Hashable {
    var isHead = false
    var version = ClientVersion.http11
    /// True if the client wants to keep the connection; always true with HTTP/2.
    var keepsAlive = true
    /// The content codings that it accepts.
    var codings = AcceptedCodings.identity

    /// Returns true if it gets the body coded: because it accepts the codings, or because all clients get them.
    func getsCoded(_ coding: BodyCoding) -> Bool {
        coding.isForAll || self.codings.accepts(coding)
    }
}
