import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// One connection to an origin: writes requests, parses responses and hands them on piece by piece.
///
/// It reads only when whoever gets the bytes can take more, which is the back-pressure towards the origin; while it
/// is idle in the pool it reads to notice when the origin closes it.
final class UpstreamConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case idle
        /// A request was sent or is being sent; the response's head has not come.
        case head
        case body
        /// The peer is a raw byte stream.
        case opaque(any OpaquePeer)
        case closed
    }

    /// Where it leads, and which requests it can carry.
    let route: UpstreamRoute
    /// What it was made by.
    let settings: ProxySettings
    private let pool: UpstreamPool
    private let readTimeout: TimeAmount
    private var handshake: EventLoopPromise<Void>?
    private(set) var context: ChannelHandlerContext?
    private var phase: Phase = .idle
    private var scanner = ResponseScanner()
    private var decoder = BodyDecoder.none
    private var input = ByteBuffer()
    private weak var exchange: ForwardedExchange?
    private var isHeadRequest = false
    /// 1xx responses to the present request.
    private var interimCount = 0
    private static let interimLimit = 32
    private var keepsAlive = true
    private var requestIsComplete = false
    private var readIsHeld = false
    private var timer: Scheduled<Void>?
    private var lastError: (any Error)?
    /// The connection ended without TLS having said so.
    private var isTruncated = false
    /// Whether a byte of the present response has come.
    private(set) var hasAnswered = false
    /// How many requests this connection has carried.
    private(set) var uses = 0

    init(
        route: UpstreamRoute,
        settings: ProxySettings,
        pool: UpstreamPool,
        readTimeout: TimeAmount,
        handshake: EventLoopPromise<Void>?
    ) {
        self.route = route
        self.settings = settings
        self.pool = pool
        self.readTimeout = readTimeout
        self.handshake = handshake
    }

    // MARK: Use

    var isUsable: Bool {
        guard let context = self.context, context.channel.isActive, self.keepsAlive else { return false }
        if case .idle = self.phase { return true }
        return false
    }

    /// Sends the head of a request; its response goes to `exchange`.
    func send(_ head: ByteBuffer, isHeadRequest: Bool, for exchange: ForwardedExchange) {
        self.exchange = exchange
        self.isHeadRequest = isHeadRequest
        self.phase = .head
        self.uses += 1
        self.hasAnswered = false
        self.interimCount = 0
        self.requestIsComplete = false
        self.context?.write(self.wrapOutboundOut(head), promise: nil)
        self.restartTimer()
    }

    func sendBody(_ bytes: ByteBuffer) {
        self.context?.write(self.wrapOutboundOut(bytes), promise: nil)
    }

    func endRequest() {
        self.requestIsComplete = true
        self.context?.flush()
        self.restartTimer()
    }

    /// Called when the exchange can take more of the response.
    func resumeReading() {
        guard self.readIsHeld else { return }
        self.readIsHeld = false
        self.restartTimer()
        self.context?.read()
    }

    func wake() {
        self.timer?.cancel()
        self.timer = nil
    }

    func sleep(for idleTimeout: TimeAmount) {
        self.phase = .idle
        self.exchange = nil
        self.timer?.cancel()
        self.timer = self.context?.eventLoop.assumeIsolated().scheduleTask(in: idleTimeout) { self.close() }
    }

    func close() {
        self.phase = .closed
        self.timer?.cancel()
        self.exchange = nil
        self.context?.close(promise: nil)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshakeCompleted {
            self.handshake?.succeed()
            self.handshake = nil
        } else if event is TLSTruncated {
            // An end that TLS did not announce may be an attacker's: a body that only the end delimits is not complete.
            self.isTruncated = true
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        switch self.phase {
        case .opaque(let peer):
            peer.write(bytes)
        case .idle, .closed:
            // Nobody asked: the connection is in no state to be used again (RFC 9112 section 9.2).
            self.close()
        case .head, .body:
            self.restartTimer()
            self.hasAnswered = true
            if self.input.readableBytes == 0 {
                self.input = bytes
            } else {
                self.input.writeBuffer(&bytes)
            }
            self.parse()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        var goesOn = true
        if case .opaque(let peer) = self.phase {
            peer.flush()
            goesOn = peer.isWritable
        } else if let exchange = self.exchange {
            exchange.flushClient()
            goesOn = exchange.canTakeResponse
        }
        if goesOn {
            context.read()
        } else {
            self.readIsHeld = true
            self.timer?.cancel()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.exchange?.upstreamBecameWritable()
            if case .opaque(let peer) = self.phase { peer.resumeReading() }
        }
        self.restartTimer()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.lastError = self.lastError ?? error
        if let handshake = self.handshake {
            self.handshake = nil
            handshake.fail(error is IOError ? UpstreamFailure.interruptedHandshake(error) : error)
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.handshake?.fail(UpstreamFailure.interruptedHandshake(nil))
        self.handshake = nil
        self.pool.remove(self)
        let phase = self.phase
        self.phase = .closed
        switch phase {
        case .head:
            self.fail(self.lastError.map(UpstreamFailure.init(reading:)) ?? self.endWithoutHead)
        case .body:
            self.endOfBodyAtClose()
        case .opaque(let peer):
            peer.finish()
        case .idle, .closed:
            break
        }
        context.fireChannelInactive()
    }

    private var endWithoutHead: UpstreamFailure {
        self.hasAnswered
            ? UpstreamFailure(fault: .connectionReset, detail: "the connection was closed within the header")
            : UpstreamFailure(fault: .emptyResponse)
    }

    private func endOfBodyAtClose() {
        let isClean = self.lastError == nil && !self.isTruncated
        if isClean, let end = self.decoder.finishAtClose(), case .end(let trailers) = end {
            self.keepsAlive = false
            self.deliverEnd(trailers)
        } else {
            self.fail(UpstreamFailure(fault: .truncatedBody))
        }
    }

    // MARK: Parsing

    private func parse() {
        while let exchange = self.exchange {
            switch self.phase {
            case .head:
                guard self.parseHead(exchange) else { return }
            case .body:
                guard self.parseBody(exchange) else { return }
            case .idle, .opaque, .closed:
                return
            }
        }
    }

    private func parseHead(_ exchange: ForwardedExchange) -> Bool {
        guard self.input.readableBytes > 0 else { return false }
        let (result, head) = self.input.withUnsafeReadableBytes { bytes in
            let result = self.scanner.scan(bytes)
            if case .complete = result { return (result, self.scanner.head(bytes) as ResponseHead?) }
            return (result, nil)
        }
        switch (result, head) {
        case (.malformed(let problem), _):
            self.fail(UpstreamFailure(reading: problem))
            return false
        case (.complete(let end), .some(let head)):
            self.input.moveReaderIndex(forwardBy: end)
            self.deliver(head, to: exchange)
            return true
        default:
            return false
        }
    }

    private func deliver(_ head: ResponseHead, to exchange: ForwardedExchange) {
        if head.status == 101, let peer = exchange.upgraded(head) {
            self.timer?.cancel()
            self.phase = .opaque(peer)
            self.exchange = nil
            if self.input.readableBytes > 0 { peer.write(self.input) }
            self.input.clear()
            return
        }
        guard head.status >= 200 else {
            self.interimCount += 1
            guard head.status != 101, self.interimCount <= Self.interimLimit else {
                let problem = head.status == 101 ? "it switches protocols unasked" : "1xx responses do not end"
                self.fail(UpstreamFailure(fault: .malformedResponse, detail: problem))
                return
            }
            exchange.receiveInterim(head)
            return
        }
        if head.status == 407, case .plain(let proxy) = self.route {
            // RFC 9110 section 15.5.8: only a proxy answers so, and it is none of the client's.
            self.fail(UpstreamFailure(proxy, refuses: exchange.origin, status: head.status, fields: head.fields))
            return
        }
        self.keepsAlive = self.scanner.isPersistent
        // RFC 9112 section 6.3.
        if self.isHeadRequest || !ResponseHead.allowsBody(status: head.status) {
            self.decoder = .none
        } else if self.scanner.fields.isChunked {
            self.decoder = .chunked
        } else if let length = self.scanner.fields.contentLength {
            self.decoder = .length(length)
        } else {
            self.decoder = .untilClose
            self.keepsAlive = false
        }
        self.phase = .body
        exchange.receiveHead(head, endsAtClose: self.decoder.endsAtClose, hasBody: !self.decoder.endsNow)
    }

    private func parseBody(_ exchange: ForwardedExchange) -> Bool {
        do {
            guard let piece = try self.decoder.next(&self.input) else { return false }
            switch piece {
            case .bytes(let bytes):
                exchange.receiveBody(bytes, isLast: self.decoder.endsNow)
            case .end(let trailers):
                self.deliverEnd(trailers)
            }
            return true
        } catch {
            self.fail(UpstreamFailure(fault: .truncatedBody, detail: error.reason))
            return false
        }
    }

    /// The response is complete. The connection goes back to the pool if the request is complete too and nothing
    /// follows that was not asked for.
    private func deliverEnd(_ trailers: [HeaderField]) {
        guard let exchange = self.exchange else { return }
        self.exchange = nil
        let isReusable = self.keepsAlive && self.requestIsComplete && self.input.readableBytes == 0
        if case .closed = self.phase {
            exchange.receiveEnd(trailers)
            return
        }
        self.phase = .idle
        if isReusable {
            self.pool.giveBack(self)
        } else {
            self.close()
        }
        exchange.receiveEnd(trailers)
    }

    private func fail(_ failure: UpstreamFailure) {
        guard let exchange = self.exchange else { return }
        self.close()
        exchange.fail(failure, onReused: self.uses > 1 && !self.hasAnswered)
    }

    /// An origin is given up on that stays silent while an answer is due, or takes no more of a body. While a client takes
    /// its time over a body, the origin owes nothing.
    private func restartTimer() {
        self.timer?.cancel()
        guard self.exchange != nil, self.requestIsComplete || !self.isWritable else { return }
        self.timer = self.context?.eventLoop.assumeIsolated().scheduleTask(in: self.readTimeout) {
            let failure = UpstreamFailure(fault: .timeout, detail: "no byte came for \(self.readTimeout.seconds) s")
            self.fail(failure)
        }
    }
}

extension UpstreamConnection: OpaquePeer {}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}

extension TimeAmount {
    fileprivate var seconds: Int64 { self.nanoseconds / 1_000_000_000 }
}
