import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckSessions
import TapedeckTLS

/// One connection to an origin: writes requests, parses responses and passes them on piece by piece.
///
/// It reads only when the receiver accepts more, which is the back-pressure towards the origin; while it is idle in the
/// pool it reads to notice when the origin closes it.
final class UpstreamConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Its target, and the requests that it can carry.
    let route: UpstreamRoute
    /// The settings that it was made by.
    let settings: ProxySettings
    /// The origin chose HTTP/1.1 where it could have chosen HTTP/2.
    let offeredHTTP2: Bool
    private let pool: UpstreamPool
    private let flushes: TurnFlushes
    var isFlushDue = false
    private let readTimeout: TimeAmount
    /// True to refuse heads that ``RepairedHead`` could repair.
    private let isStrict: Bool
    private var handshake: EventLoopPromise<Void>?
    private(set) var context: ChannelHandlerContext?
    // As in ``ClientConnection``: their methods call nothing of this class, on one event loop.
    @exclusivity(unchecked) private var state = UpstreamState()
    @exclusivity(unchecked) private var scanner = ResponseScanner()
    @exclusivity(unchecked) private var decoder = BodyDecoder.none
    @exclusivity(unchecked) private var input = ByteBuffer()
    private weak var receiver: (any ResponseReceiver)?
    private var isHeadRequest = false
    /// True if the body of the current request is sent in chunks.
    private var isChunkedRequest = false
    private var readIsHeld = false
    /// The time of a timeout of the origin or, while it is idle, of the connection; `nil` without a timeout.
    private var deadline: NIODeadline?
    /// Looks at ``deadline``. It runs on when that moves, since making a timer for every byte that comes costs more.
    private var timer: (task: Scheduled<Void>, time: NIODeadline)?
    private var lastError: (any Error)?
    /// True if the connection ended without a close_notify of TLS.
    private var isTruncated = false

    init(
        route: UpstreamRoute,
        settings: ProxySettings,
        pool: UpstreamPool,
        flushes: TurnFlushes,
        readTimeout: TimeAmount,
        isStrict: Bool,
        handshake: EventLoopPromise<Void>?,
        offeredHTTP2: Bool
    ) {
        self.offeredHTTP2 = offeredHTTP2
        self.route = route
        self.settings = settings
        self.pool = pool
        self.flushes = flushes
        self.readTimeout = readTimeout
        self.isStrict = isStrict
        self.handshake = handshake
    }

    // MARK: Use

    var isUsable: Bool { self.state.isIdle && self.context?.channel.isActive ?? false }

    func send(_ head: RequestHead, form: HTTP2RequestForm?, isHead: Bool, to receiver: any ResponseReceiver) {
        self.receiver = receiver
        self.isHeadRequest = isHead
        self.isChunkedRequest = head.fields.contains(named: "transfer-encoding")
        self.state.requestBegan()
        self.context?.write(self.wrapOutboundOut(self.wireHead(head)), promise: nil)
        self.restartTimer()
    }

    private func wireHead(_ head: RequestHead) -> ByteBuffer {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + head.target.utf8.count + head.fields.count * 48)
        ByteText.append(head.method, to: &bytes)
        bytes.append(ASCII.space)
        let proxy = self.route.plainProxy
        ByteText.append(proxy == nil ? head.target : head.absoluteTarget, to: &bytes)
        bytes.append(contentsOf: " HTTP/1.1\r\n".utf8)
        WireHead.append(head.fields, to: &bytes)
        if let field = proxy?.authorizationField { WireHead.append([field], to: &bytes) }
        bytes.append(contentsOf: "\r\n".utf8)
        return ByteBuffer(bytes: bytes)
    }

    func sendBody(_ bytes: ByteBuffer) {
        guard self.isChunkedRequest else {
            self.context?.write(self.wrapOutboundOut(bytes), promise: nil)
            return
        }
        var chunk = ByteBuffer()
        WireHead.writeChunk(bytes, to: &chunk)
        self.context?.write(self.wrapOutboundOut(chunk), promise: nil)
    }

    func sendEnd(trailers: [HeaderField]) {
        if self.isChunkedRequest {
            var last = ByteBuffer()
            WireHead.writeLastChunk(trailers: trailers, to: &last)
            self.context?.write(self.wrapOutboundOut(last), promise: nil)
        }
        self.state.requestEnded()
        self.flush()
        self.restartTimer()
    }

    func flush() {
        self.flushes.add(self)
    }

    func resumeReading() {
        guard self.readIsHeld else { return }
        self.readIsHeld = false
        self.restartTimer()
        self.context?.read()
    }

    func hand(to receiver: any ResponseReceiver) {
        self.receiver = receiver
    }

    func wake() {
        self.deadline = nil
    }

    func sleep(for idleTimeout: TimeAmount) {
        self.receiver = nil
        self.wait(for: idleTimeout)
    }

    func giveBack() {
        self.pool.giveBack(self)
    }

    func close() {
        self.state.close()
        self.cancelTimer()
        self.receiver = nil
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
        switch self.state.bytesCame() {
        case .pass(let peer):
            peer.write(bytes)
        case .close:
            self.close()
        case .parse:
            self.restartTimer()
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
        if case .opaque(let peer) = self.state.phase {
            peer.flush()
            goesOn = peer.isWritable
        } else if let receiver = self.receiver {
            receiver.pause()
            goesOn = receiver.canTakeResponse
        }
        if goesOn {
            context.read()
        } else {
            self.readIsHeld = true
            self.deadline = nil
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.receiver?.originBecameWritable()
            if case .opaque(let peer) = self.state.phase { peer.resumeReading() }
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
        self.cancelTimer()
        self.handshake?.fail(UpstreamFailure.interruptedHandshake(nil))
        self.handshake = nil
        self.pool.remove(self)
        switch self.state.wentAway() {
        case .none: break
        case .failHead: self.fail(self.lastError.map(UpstreamFailure.init(reading:)) ?? self.endWithoutHead)
        case .endBody: self.endOfBodyAtClose()
        case .close(let peer): peer.closeWhenWritten()
        }
        context.fireChannelInactive()
    }

    private var endWithoutHead: UpstreamFailure {
        self.state.hasAnswered
            ? UpstreamFailure(fault: .connectionReset, detail: "the connection was closed within the header")
            : UpstreamFailure(fault: .emptyResponse)
    }

    private func endOfBodyAtClose() {
        let isClean = self.lastError == nil && !self.isTruncated
        if isClean, let end = self.decoder.finishAtClose(), case .end(let trailers) = end {
            self.state.bodyEndedAtClose()
            self.deliverEnd(trailers)
        } else {
            self.fail(UpstreamFailure(fault: .truncatedBody))
        }
    }

    // MARK: Parsing

    private func parse() {
        while let receiver = self.receiver {
            switch self.state.phase {
            case .head:
                guard self.parseHead(receiver) else { return }
            case .body:
                guard self.parseBody(receiver) else { return }
            case .idle, .opaque, .closed:
                return
            }
        }
    }

    private func parseHead(_ receiver: any ResponseReceiver) -> Bool {
        guard self.input.readableBytes > 0 else { return false }
        let (result, head) = self.input.withUnsafeReadableBytes { bytes in
            let result = self.scanner.scan(bytes)
            if case .complete = result { return (result, self.scanner.head(bytes) as ResponseHead?) }
            return (result, nil)
        }
        switch (result, head) {
        case (.malformed(let problem), _):
            return self.parseMalformedHead(problem, receiver)
        case (.complete(let end), .some(let head)):
            self.input.moveReaderIndex(forwardBy: end)
            self.deliver(head, to: receiver)
            return true
        default:
            return false
        }
    }

    private func parseMalformedHead(_ problem: MalformedMessage, _ receiver: any ResponseReceiver) -> Bool {
        let mayBeRepaired = !self.isStrict && self.input.withUnsafeReadableBytes { RepairedHead.mayBegin($0) }
        let length = self.input.withUnsafeReadableBytes { RepairedHead.length($0) }
        if length == nil, mayBeRepaired, self.input.readableBytes < MessageLimits.head { return false }
        guard let length, mayBeRepaired, length <= MessageLimits.head,
            let repaired = self.input.withUnsafeReadableBytes({ RepairedHead(.init(rebasing: $0[..<length])) }),
            let head = repaired.bytes.withUnsafeBytes({ bytes in
                self.scanner.scan(bytes) == .complete(bytes.count) ? self.scanner.head(bytes) : nil
            })
        else {
            self.fail(UpstreamFailure(reading: problem))
            return false
        }
        self.input.moveReaderIndex(forwardBy: length)
        receiver.note(repairs: repaired.repairs)
        self.deliver(head, to: receiver, endsConnection: repaired.endsConnection)
        return true
    }

    private func deliver(_ head: ResponseHead, to receiver: any ResponseReceiver, endsConnection: Bool = false) {
        if head.status == 101, let peer = receiver.upgraded(head, self) {
            self.cancelTimer()
            self.state.upgraded(to: peer)
            self.receiver = nil
            if self.input.readableBytes > 0 { peer.write(self.input) }
            self.input.clear()
            return
        }
        guard head.status >= 200 else {
            switch self.state.interimCame(status: head.status) {
            case .deliver: receiver.receiveInterim(head)
            case .fail(let problem): self.fail(UpstreamFailure(fault: .malformedResponse, detail: problem))
            }
            return
        }
        if head.status == 407, case .plain(let proxy) = self.route {
            // RFC 9110 section 15.5.8: only a proxy answers so, and not the client's.
            self.fail(UpstreamFailure(proxy, refuses: receiver.origin, status: head.status, fields: head.fields))
            return
        }
        var keepsAlive = self.scanner.isPersistent && !endsConnection
        // RFC 9112 section 6.3.
        if self.isHeadRequest || !ResponseHead.allowsBody(status: head.status) {
            self.decoder = .none
        } else if self.scanner.fields.isChunked {
            self.decoder = self.isStrict ? .chunked : .looselyChunked
        } else if let length = self.scanner.fields.contentLength {
            self.decoder = .length(length)
        } else {
            self.decoder = .untilClose
            keepsAlive = false
        }
        self.state.headCame(keepsAlive: keepsAlive)
        receiver.receiveHead(head, end: self.bodyEnd, hasBody: !self.decoder.endsNow)
    }

    /// The way in which the response whose head came last says where its body ends.
    private var bodyEnd: BodyEnd {
        if self.decoder.endsAtClose { return .atClose }
        return self.scanner.fields.isChunked && !self.decoder.endsNow ? .marked : .byHead
    }

    private func parseBody(_ receiver: any ResponseReceiver) -> Bool {
        do {
            guard let piece = try self.decoder.next(&self.input) else { return false }
            switch piece {
            case .bytes(let bytes):
                receiver.receiveBody(bytes, isLast: self.decoder.endsNow)
            case .end(let trailers):
                self.deliverEnd(trailers)
            }
            return true
        } catch {
            self.fail(UpstreamFailure(fault: .truncatedBody, detail: error.reason))
            return false
        }
    }

    /// The response is complete. The connection returns to the pool if the request is complete too and no unexpected
    /// bytes follow.
    private func deliverEnd(_ trailers: [HeaderField]) {
        guard let receiver = self.receiver else { return }
        self.receiver = nil
        switch self.state.responseEnded(hasMore: self.input.readableBytes > 0) {
        case .giveBack: self.pool.giveBack(self)
        case .close: self.close()
        case .none: break
        }
        receiver.receiveEnd(trailers)
    }

    private func fail(_ failure: UpstreamFailure) {
        guard let receiver = self.receiver else { return }
        self.close()
        receiver.fail(failure, self.state.failsOnReuse ? .idempotent : .none)
    }

    /// An origin is given up on that stays silent while an answer is due, or takes no more of a body. While a client takes
    /// its time over a body, the origin owes nothing, nor while it is not read from.
    private func restartTimer() {
        guard self.receiver != nil, !self.readIsHeld, self.state.requestIsComplete || !self.isWritable else {
            self.deadline = nil
            return
        }
        self.wait(for: self.readTimeout)
    }

    private func wait(for time: TimeAmount) {
        guard let now = self.context?.eventLoop.now else { return }
        let deadline = now + time
        self.deadline = deadline
        if let timer = self.timer, timer.time <= deadline { return }
        self.timer?.task.cancel()
        self.startTimer(deadline)
    }

    private func startTimer(_ deadline: NIODeadline) {
        guard let loop = self.context?.eventLoop.assumeIsolated() else { return }
        self.timer = (loop.scheduleTask(deadline: deadline) { self.timerFired() }, deadline)
    }

    private func cancelTimer() {
        self.timer?.task.cancel()
        self.timer = nil
        self.deadline = nil
    }

    private func timerFired() {
        self.timer = nil
        guard let deadline = self.deadline, let now = self.context?.eventLoop.now else { return }
        guard deadline <= now else {
            self.startTimer(deadline)
            return
        }
        guard self.receiver != nil else {
            self.close()
            return
        }
        self.fail(
            UpstreamFailure(fault: .timeout, detail: "no byte came for \(self.readTimeout.seconds) s (--read-timeout)")
        )
    }
}

extension UpstreamConnection: OriginStream, OpaquePeer, FlushedByTurn {
    var isHTTP2: Bool { false }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}

extension TimeAmount {
    fileprivate var seconds: Int64 { self.nanoseconds / 1_000_000_000 }
}
