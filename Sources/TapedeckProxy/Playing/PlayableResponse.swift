import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// A take turned into what goes on the wire for one kind of client. A class, since one reference is passed on more
/// cheaply than the parts.
final class PlayableResponse: Sendable {
    /// How the connection goes on once the bytes are out.
    enum Ending: Sendable, Equatable {
        case keepAlive
        case close
        /// The connection is cut without the ceremony that tells the client the body is complete.
        case cut
        /// The connection is reset.
        case reset
    }

    /// The interim responses that go out before it.
    let interim: [ResponseHead]
    /// The head as the client gets it.
    let head: ResponseHead
    /// The trailer fields behind its body.
    let trailers: [HeaderField]
    /// Everything that is in memory, ready to be written: for HTTP/1 the heads, the body in its framing, and what goes
    /// behind that; for HTTP/2, which compresses heads by what the connection has seen, the body alone.
    let bytes: ByteBuffer
    /// A body that is too large for memory, to be sent between ``headBytes`` and ``tailBytes``.
    let file: BodyFile?
    /// How many bytes of the body go out, without its framing.
    let bodyLength: Int
    /// How the body is cut when it goes out piece by piece; `nil` for one in a content coding.
    let pieces: BodyPieces?
    let framing: ResponseFraming
    let ending: Ending
    /// The fault that the response ends in.
    let fault: Fault?
    /// Whether it has values in it that stand for secrets, so that it is not what stands on tape.
    let isRestored: Bool
    private let headLength: Int
    private let tailLength: Int

    /// - Parameters:
    ///   - bytes: the heads, for HTTP/1, and the body as far as it is sent, in its framing.
    ///   - headLength: how many of the bytes are heads.
    ///   - bodyLength: how many bytes of the body are sent, from memory or from `file`.
    init(
        _ take: Take,
        plan: ResponsePlan,
        interim: [ResponseHead],
        bytes: ByteBuffer,
        headLength: Int,
        bodyLength: Int,
        file: BodyFile?,
        isRestored: Bool
    ) {
        var bytes = bytes
        let length = bytes.readableBytes
        let trailers = take.fault == nil || take.fault == .resetAfterBody ? TrailerFields.sendable(take.trailers) : []
        if plan.framing == .chunked {
            switch take.fault {
            case nil, .resetAfterBody: WireHead.writeLastChunk(trailers: trailers, to: &bytes)
            case .malformedChunk: bytes.writeStaticString("xyz\r\n")
            default: break
            }
        }
        self.interim = interim
        self.head = ResponseHead(status: take.status, reason: take.reasonPhrase, fields: plan.fields)
        self.trailers = trailers
        self.bytes = bytes
        self.file = file
        self.bodyLength = bodyLength
        self.pieces = take.pieces.flatMap { BodyPieces.isCoded(plan.fields) ? nil : $0 }
        self.framing = plan.framing
        self.fault = take.fault
        self.isRestored = isRestored
        self.headLength = headLength
        self.tailLength = bytes.readableBytes - length
        self.ending =
            switch take.fault?.ending {
            case nil: plan.closes ? .close : .keepAlive
            case .reset: .reset
            default: .cut
            }
    }

    /// The heads alone, for HTTP/1.
    var headBytes: ByteBuffer { self.slice(from: 0, self.headLength) }
    /// The body that is in memory, without its framing.
    var body: ByteBuffer {
        guard self.file == nil, self.bodyLength > 0 else { return ByteBuffer() }
        // As one chunk it has the end of its line behind it.
        let end = self.bytes.readableBytes - self.tailLength - (self.framing == .chunked ? 2 : 0)
        return self.slice(from: end - self.bodyLength, self.bodyLength)
    }
    /// Everything that goes out behind the body of an HTTP/1 response: in chunks, their end.
    var tailBytes: ByteBuffer { self.slice(from: self.bytes.readableBytes - self.tailLength, self.tailLength) }

    /// True if the client gets all of it, and not what a fault leaves.
    var isComplete: Bool { self.ending == .keepAlive || self.ending == .close }

    /// Whether all that goes out is in memory.
    var isWhole: Bool { self.file == nil || self.bodyLength == 0 }

    private func slice(from start: Int, _ length: Int) -> ByteBuffer {
        self.bytes.getSlice(at: self.bytes.readerIndex + start, length: length) ?? ByteBuffer()
    }
}

extension ExchangeTrace {
    /// Something else than what stands on tape is sent.
    func answer(_ response: PlayableResponse) {
        self.answer(response.head, fault: response.fault, body: response.body, length: response.bodyLength)
    }
}

extension JournalEntry.Ending {
    init(_ ending: PlayableResponse.Ending) {
        self =
            switch ending {
            case .keepAlive, .close: .complete
            case .cut: .cut
            case .reset: .reset
            }
    }
}
