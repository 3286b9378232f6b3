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

    /// Everything that is in memory, ready to be written: head, body in its framing, and what goes behind that.
    let bytes: ByteBuffer
    /// A body that is too large for memory, to be sent between ``head`` and ``tail``.
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
    ///   - bytes: the head, and the body as far as it is sent, in its framing.
    ///   - headLength: how many of the bytes are the head.
    ///   - bodyLength: how many bytes of the body are sent, from memory or from `file`.
    init(
        _ take: Take,
        plan: ResponsePlan,
        bytes: ByteBuffer,
        headLength: Int,
        bodyLength: Int,
        file: BodyFile?,
        isRestored: Bool
    ) {
        var bytes = bytes
        let length = bytes.readableBytes
        if plan.framing == .chunked {
            switch take.fault {
            case nil, .resetAfterBody: WireHead.writeLastChunk(trailers: take.trailers, to: &bytes)
            case .malformedChunk: bytes.writeStaticString("xyz\r\n")
            default: break
            }
        }
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

    /// The head alone.
    var head: ByteBuffer { self.slice(from: 0, self.headLength) }
    /// The body that is in memory, without its framing.
    var body: ByteBuffer {
        guard self.file == nil, self.bodyLength > 0 else { return ByteBuffer() }
        // As one chunk it has the end of its line behind it.
        let end = self.bytes.readableBytes - self.tailLength - (self.framing == .chunked ? 2 : 0)
        return self.slice(from: end - self.bodyLength, self.bodyLength)
    }
    /// What goes out behind the body: in chunks, their end.
    var tail: ByteBuffer { self.slice(from: self.bytes.readableBytes - self.tailLength, self.tailLength) }

    /// Whether all that goes out is in memory.
    var isWhole: Bool { self.file == nil || self.bodyLength == 0 }

    /// The head as a client reads it, without the interim ones before it.
    var finalHead: ResponseHead? {
        var head = self.head
        while true {
            var scanner = ResponseScanner()
            let result = head.withUnsafeReadableBytes { bytes -> (end: Int, head: ResponseHead)? in
                guard case .complete(let end) = scanner.scan(bytes) else { return nil }
                return (end, scanner.head(bytes))
            }
            guard let result else { return nil }
            if result.head.status >= 200 { return result.head }
            head.moveReaderIndex(forwardBy: result.end)
        }
    }

    private func slice(from start: Int, _ length: Int) -> ByteBuffer {
        self.bytes.getSlice(at: self.bytes.readerIndex + start, length: length) ?? ByteBuffer()
    }
}

extension ExchangeTrace {
    /// Something else than what stands on tape is sent.
    func answer(_ response: PlayableResponse) {
        guard let head = response.finalHead else { return }
        self.answer(head, fault: response.fault, body: response.body, length: response.bodyLength)
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
