/// A message that breaks the grammar or the framing rules of HTTP/1.1, and so cannot be trusted to mean the same to
/// us and to the next reader (RFC 9112 section 11.2, request smuggling).
package struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status a server answers such a request with.
    package var status: Int
    /// The error, as a sentence without its full stop.
    package var reason: String

    package init(_ reason: String, status: Int = 400) {
        self.status = status
        self.reason = reason
    }

    package var description: String { self.reason }
}

/// The result of scanning the received bytes for a message head.
package enum ScanResult: Sendable, Equatable {
    /// The head is not complete yet.
    case incomplete
    /// The head ends before this offset.
    case complete(Int)
    case malformed(MalformedMessage)
}

/// The sizes that a peer cannot exceed.
package enum MessageLimits {
    /// Start line and header fields together, in bytes.
    package static let head = 64 * 1024
    /// The line that gives a chunk's size, with its extensions, in bytes.
    package static let chunkLine = 4 * 1024
    /// Trailer fields, in bytes.
    package static let trailers = 64 * 1024
}
