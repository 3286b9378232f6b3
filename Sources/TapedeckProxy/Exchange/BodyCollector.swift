import NIOCore
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import TapedeckTLS

/// Gathers the body of a request whose answer depends on it.
final class BodyCollector {
    let fields: [HeaderField]
    /// The part of a body that is compared with the tape.
    private let matchedLimit: Int
    private let limit: Int
    /// The body as received; no more of it once it is over the limit and the rest is not needed.
    private(set) var pieces: [ByteBuffer] = []
    private var kept = 0
    private let hasher = SHA256()
    /// Leaves the chunks of AWS's SDKs out of the digest; `nil` for a body without them.
    private var chunks: AWSChunks?
    /// Leaves the boundary of a multipart body out of its digest; `nil` for any other body.
    private var eraser: BoundaryEraser?
    private(set) var isOverLimit = false
    /// Counts the messages of a call; `nil` for any other request.
    private var counter: MessageCounter?
    /// The number of messages that ``newMessages()`` returned; -1 before the first time.
    private var seen = -1
    /// The end of the last whole message, in bytes.
    private var messagesEnd = 0
    /// The messages that ``observedMessages()`` has decoded, and how far they go in the body. Decoding all of them again
    /// for each new one would make long streams slow.
    private var decoded: (messages: [UInt8], end: Int) = ([], 0)

    /// - Parameters:
    ///   - matchedLimit: the size up to which a body is compared with the tape.
    ///   - limit: the size up to which it is kept, if that is larger.
    init(fields: [HeaderField], matchedLimit: Int, limit: Int = 0) {
        self.fields = fields
        self.matchedLimit = matchedLimit
        self.limit = max(matchedLimit, limit)
        self.chunks = AWSChunks(fields)
        self.eraser = BoundaryEraser(fields)
        if MessageFraming(fields) == .grpc { self.counter = MessageCounter() }
    }

    /// Returns `true` for the one piece that takes the body over the limit.
    func add(_ bytes: ByteBuffer) -> Bool {
        let wasOverLimit = self.isOverLimit
        bytes.withUnsafeReadableBytes { bytes in
            if let content = self.chunks?.update(bytes) {
                content.withUnsafeBytes { self.hash($0) }
            } else {
                self.hash(bytes)
            }
            self.messagesEnd = self.counter?.take(bytes).last ?? self.messagesEnd
        }
        self.isOverLimit = self.isOverLimit || self.kept + bytes.readableBytes > self.limit
        // The piece that crosses the limit is kept: in `append` mode all of the body so far is passed on from here.
        if self.kept <= self.limit {
            self.pieces.append(bytes)
            self.kept += bytes.readableBytes
        }
        return self.isOverLimit && !wasOverLimit
    }

    private func hash(_ bytes: UnsafeRawBufferPointer) {
        guard let settled = self.eraser?.update(bytes) else {
            self.hasher.update(bytes)
            return
        }
        settled.withUnsafeBytes { self.hasher.update($0) }
    }

    /// True if it is compared with the tape by its digest alone.
    private var isOverMatchedLimit: Bool { self.isOverLimit || self.kept > self.matchedLimit }

    func observed() -> ObservedBody {
        if let rest = self.chunks?.finish() { rest.withUnsafeBytes { self.hash($0) } }
        if let rest = self.eraser?.finish() { rest.withUnsafeBytes { self.hasher.update($0) } }
        guard !self.isOverMatchedLimit else { return ObservedBody(bytes: nil, sha256: self.hasher.finalizeHex()) }
        let bytes = self.pieces.flatMap { Array($0.readableBytesView) }
        let decoded = MessageCoder.decoded(bytes, self.fields, limit: self.matchedLimit * 16)
        return ObservedBody(bytes: decoded, sha256: self.hasher.finalizeHex())
    }

    /// The whole messages of a call so far; `nil` for any other request, and for one over the limit.
    func observedMessages() -> ObservedBody? {
        guard self.counter != nil, !self.isOverMatchedLimit else { return nil }
        let new = self.bytes(self.decoded.end..<self.messagesEnd)
        let limit = self.matchedLimit * 16 - self.decoded.messages.count
        self.decoded.messages += MessageCoder.decoded(new, self.fields, limit: limit)
        self.decoded.end = self.messagesEnd
        var body = ObservedBody(bytes: self.decoded.messages, sha256: "")
        body.isPart = true
        return body
    }

    /// A part of the body, by the places of its bytes.
    private func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        // From the end: what is new is there.
        var end = self.kept
        for piece in self.pieces.reversed() where end > range.lowerBound {
            let start = end - piece.readableBytes
            let part = range.clamped(to: start..<end)
            let new = piece.readableBytesView.dropFirst(part.lowerBound - start).prefix(part.count)
            bytes.insert(contentsOf: new, at: 0)
            end = start
        }
        return bytes
    }

    /// The whole messages of a call so far, if there are more than the last time.
    ///
    /// - Parameter each: true if an answer may be due after any message. Otherwise the question is only whether nothing on
    ///   tape answers, which after some messages is asked less and less often: each time all messages are compared.
    func newMessages(each: Bool) -> ObservedBody? {
        guard let count = self.counter?.count, count > self.seen,
            each || count <= Self.comparedAlways || count >= self.seen * 2
        else { return nil }
        self.seen = count
        return self.observedMessages()
    }

    private static let comparedAlways = 16
}
