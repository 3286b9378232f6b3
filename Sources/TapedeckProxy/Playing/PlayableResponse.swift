import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckProtobuf
import TapedeckSessions

/// A take encoded for the wire for one kind of client. A class, because passing one reference is cheaper than the
/// parts.
final class PlayableResponse: Sendable {
    /// The interim responses that are sent before it.
    let interim: [ResponseHead]
    /// The head as the client gets it.
    let head: ResponseHead
    /// The head as HTTP/2 sends it; empty for HTTP/1.
    let http2Head: HTTP2Fields
    /// The trailer fields behind its body.
    let trailers: [HeaderField]
    /// The bytes in memory: for HTTP/1 the heads, the framed body and its end; for HTTP/2, which compresses heads for
    /// each connection, only the body.
    let bytes: ByteBuffer
    /// A body that is too large for memory, to be sent between ``headBytes`` and ``tailBytes``.
    let file: FileBody?
    /// The number of body bytes that are sent, without framing.
    let bodyLength: Int
    /// The pieces of the body; `nil` for a body in a content coding.
    let pieces: BodyPieces?
    /// The places of the messages of a call among those of its request; `nil` if all of it goes out after the request.
    let order: MessageOrder?
    /// The ends of the messages of a call in the body, in bytes.
    let messageEnds: [Int]
    let framing: ResponseFraming
    /// How it leaves its stream; `nil` where nothing comes behind the part of it that is sent.
    let ending: StreamEnding?
    /// The fault that the response ends in.
    let fault: Fault?
    /// True if it has values for secrets, so that it differs from the response on tape.
    let isRestored: Bool
    /// True if a field in its heads may name the origin; see ``ReturnAddress``.
    let mayNameOrigin: Bool
    /// True if a field says how long the client is to wait.
    let saysToWait: Bool
    /// When it was recorded, and the first end of a cookie since; `nil` where cookies do not end.
    let cookieLife: (recorded: Instant, end: Instant)?
    private let headLength: Int
    private let tailLength: Int
    private let client: ClientAbilities
    /// True if the head announces the end of the connection.
    private let announcesClose: Bool

    /// - Parameters:
    ///   - bytes: the heads, for HTTP/1, and the body as far as it is sent, in its framing.
    ///   - headLength: how many of the bytes are heads.
    ///   - bodyLength: how many bytes of the body are sent, from memory or from `file`.
    ///   - isHTTP2: it is for a client of HTTP/2.
    init(
        _ take: Take,
        plan: ResponsePlan,
        interim: [ResponseHead],
        bytes: ByteBuffer,
        headLength: Int,
        bodyLength: Int,
        file: FileBody?,
        client: ClientAbilities,
        isRestored: Bool
    ) {
        var bytes = bytes
        let length = bytes.readableBytes
        var trailers: [HeaderField] = []
        switch take.fault {
        case nil, .resetAfterBody, .goAway: trailers = TrailerFields.sendable(take.trailers)
        default: break
        }
        if plan.framing == .chunked {
            switch take.fault {
            case nil, .resetAfterBody, .goAway, .missingTrailers:
                WireHead.writeLastChunk(trailers: trailers, to: &bytes)
            case .malformedChunk: bytes.writeStaticString("xyz\r\n")
            default: break
            }
        }
        self.interim = interim
        self.head = ResponseHead(status: take.status, reason: take.reasonPhrase, fields: plan.fields)
        self.http2Head = client.version == .http2 ? HTTP2Fields(status: take.status, plan.fields) : HTTP2Fields([])
        self.client = client
        self.announcesClose = plan.announcesClose(take, to: client)
        let recorded = plan.fields.contains(named: "set-cookie") ? take.recordedTime : nil
        self.cookieLife = recorded.flatMap { recorded in
            ResponseDates.firstCookieEnd(plan.fields, recorded: recorded).map { (recorded, $0) }
        }
        self.saysToWait = plan.fields.contains(where: WaitField.isOne)
        self.mayNameOrigin =
            plan.fields.contains(where: ReturnAddress.concerns)
            || interim.contains { $0.fields.contains(where: ReturnAddress.concerns) }
        self.trailers = trailers
        self.bytes = bytes
        self.file = file
        self.bodyLength = bodyLength
        self.pieces = take.pieces.flatMap { BodyPieces.isCoded(plan.fields) ? nil : $0 }
        self.order = plan.framing == .stream ? take.messageOrder : nil
        self.messageEnds = plan.framing == .stream ? take.messageEnds : []
        self.framing = plan.framing
        self.fault = take.fault
        self.isRestored = isRestored
        self.headLength = headLength
        self.tailLength = bytes.readableBytes - length
        self.ending =
            switch take.fault?.ending {
            case nil, .complete: plan.closes ? .completeAndClosed : .complete
            case .goAway: .goAway(take.faultCode)
            case .hang: nil
            case .reset: .reset
            default: .cut(take.faultCode)
            }
    }

    /// The response with other fields in its heads.
    private init(_ other: PlayableResponse, interim: [ResponseHead], head: ResponseHead) {
        var bytes = Self.heads(interim, head, announcesClose: other.announcesClose, for: other.client)
        self.headLength = bytes.readableBytes
        bytes.writeImmutableBuffer(other.slice(from: other.headLength, other.bytes.readableBytes - other.headLength))
        self.interim = interim
        self.head = head
        self.http2Head =
            other.client.version == .http2 ? HTTP2Fields(status: head.status, head.fields) : HTTP2Fields([])
        self.trailers = other.trailers
        self.bytes = bytes
        self.file = other.file
        self.bodyLength = other.bodyLength
        self.pieces = other.pieces
        self.order = other.order
        self.messageEnds = other.messageEnds
        self.framing = other.framing
        self.fault = other.fault
        self.isRestored = other.isRestored
        self.tailLength = other.tailLength
        self.client = other.client
        self.announcesClose = other.announcesClose
        self.ending = other.ending
        self.mayNameOrigin = other.mayNameOrigin
        self.saysToWait = other.saysToWait
        self.cookieLife = other.cookieLife
    }

    /// Returns the response with changed fields in its heads; `nil` if none changes.
    ///
    /// - Parameter change: returns the changed fields of a head, or `nil`.
    func changing(_ change: ([HeaderField]) -> [HeaderField]?) -> PlayableResponse? {
        var isSame = true
        func changed(_ head: ResponseHead) -> ResponseHead {
            guard let fields = change(head.fields) else { return head }
            isSame = false
            return ResponseHead(status: head.status, reason: head.reason, fields: fields)
        }
        let (interim, head) = (self.interim.map(changed), changed(self.head))
        return isSame ? nil : PlayableResponse(self, interim: interim, head: head)
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
    /// Everything that is sent after the body of an HTTP/1 response: for chunks, their end.
    var tailBytes: ByteBuffer { self.slice(from: self.bytes.readableBytes - self.tailLength, self.tailLength) }

    /// True if the client gets all of it, and not what a fault leaves.
    var isComplete: Bool { self.ending?.isComplete ?? false }

    /// True if everything that is sent is in memory.
    var isWhole: Bool { self.file == nil || self.bodyLength == 0 }

    private func slice(from start: Int, _ length: Int) -> ByteBuffer {
        self.bytes.getSlice(at: self.bytes.readerIndex + start, length: length) ?? ByteBuffer()
    }
}

extension Take {
    /// The ends of the messages of its body, in bytes.
    fileprivate var messageEnds: [Int] {
        guard case .inline(let body) = self.body, let list = body.messages else { return [] }
        var end = 0
        return list.messages.map { message in
            end += GRPCMessage.prefixLength + message.payload.count
            return end
        }
    }
}

extension ExchangeTrace {
    /// Notes a response that differs from the one on tape.
    func answer(_ response: PlayableResponse) {
        self.answer(response.head, fault: response.fault, body: response.body, length: response.bodyLength)
    }
}
