import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// One client's connection: reads requests off it one after the other, has the session decide about each, and sees to
/// it that the answers go out in order.
///
///     head ──▶ body ──▶ answering ──▶ head …        a request at a time; pipelined ones wait as bytes
///       │
///       └─ CONNECT ──▶ tunnelStart ──▶ head (plain HTTP) │ head behind TLS │ opaque
///
///     transparentStart ──▶ head (plain HTTP) │ head behind TLS │ opaque          on a transparent listener
///
/// - `head`, `body`: bytes are being parsed.
/// - `answering`: the request is complete, its answer is not; what the client sends meanwhile waits.
/// - `opaque`: bytes are passed to the peer as they are (an upgraded connection, or a tunnel that is not HTTP).
/// - `closing`: the last answer is out; what still comes in is read and dropped, since closing a socket with unread
///   bytes would reset it and could take the answer along (RFC 9112 section 9.6).
///
/// Everything happens on the channel's event loop. The hot path (a taped answer to a request without a body)
/// runs from ``channelRead(context:data:)`` to one `write` without an allocation of its own.
final class ClientConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case head
        case body
        case answering
        /// With the session of the CONNECT; there may be none for Tapedeck's own site.
        case tunnelStart(Origin, Session?)
        /// Nothing is known yet of what the client speaks.
        case transparentStart(TransparentPort)
        case opaque(any OpaquePeer)
        case closing
    }

    /// How much may wait unparsed before the client is no longer read from.
    private static let pendingLimit = 256 << 10

    let deck: ProxyContext
    let loop: LoopContext
    let doorway: Doorway
    /// Whose request is whose.
    var routing: SessionRouting
    var route: Route
    var phase: Phase = .head
    var scanner = RequestScanner()
    var key = RequestKey()
    var origins = OriginCache()
    var decoder = BodyDecoder.none
    /// Who takes the body of the request that is being read.
    var bodySink: BodySink = .discard
    /// Where the path begins in the target of the request whose head was read last.
    var pathStart = 0
    /// Whether that request named its origin in the path of a base URL.
    var isBaseURL = false
    /// True if that request came to a port as to a server, and from a browser.
    var isFromBrowser = false
    /// The Host that the rules for pages accepted last.
    var acceptedHost: [UInt8] = []
    /// What the rules say of the origin they were last asked about.
    var hostVerdict: (origin: Origin, verdict: HostRules.Verdict)?
    /// Whether the request whose head was read last is a HEAD.
    var isHead = false
    /// The host whose certificate the client is looking at, until it has taken it.
    var handshakeHost: String?
    /// The host whose certificate the client has taken, until it sends a request.
    var silentHost: String?
    /// What is to be done once the body of the request has been read.
    var pendingDecision: Decision?
    /// The exchange with an origin that is under way.
    var exchange: ForwardedExchange?
    /// The answer of the tape's or of Tapedeck's own that is under way, if it takes its time.
    var underWay: (any AnswerUnderWay)?
    var request: ClientRequest?
    /// The exchange under way as the journal gets it; `nil` where there is none, or none that a session knows of.
    var trace: ExchangeTrace?
    /// What the connection takes up of what there is.
    var place: ConnectionPlace
    /// Ends the connection when the head of a request does not come in time; `nil` while none is waited for.
    var headTimer: Scheduled<Void>?
    /// Ends the connection when the body of a request does not go on; `nil` until a connection has one.
    var bodyTimer: Scheduled<Void>?
    /// The time of the last bytes of a body.
    var bodyTime = NIODeadline.now()
    /// Bytes that came and are not parsed yet.
    var input = ByteBuffer()
    var context: ChannelHandlerContext?
    /// The client has said that it sends no more.
    var inputClosed = false
    /// The last answer is out, and as far as can be known nothing unread waits: a close would reset nothing.
    var closesCleanly = false
    private var isProcessing = false
    private(set) var readIsHeld = false
    private var stopping = false

    init(deck: ProxyContext, loop: LoopContext, doorway: Doorway, route: Route) {
        self.deck = deck
        self.loop = loop
        self.doorway = doorway
        self.place = ConnectionPlace(in: deck.sessions.meter)
        self.routing = SessionRouting(
            deck.sessions,
            home: doorway.session ?? deck.sessions.default,
            requiresToken: deck.configuration.requiresToken,
            deckToken: deck.deckToken,
            opensHome: doorway.transparent != nil
        )
        self.route = route
        if let port = doorway.transparent { self.phase = .transparentStart(port) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.loop.add(self)
        self.limitExcess(context.channel)
        self.awaitHead()
        if self.loop.isStopping { self.stop() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.headCame()
        self.bodyTimer?.cancel()
        self.bodyTimer = nil
        if let host = self.silentHost, !self.isStopping { self.deck.untrusting.noteSilent(host) }
        self.dropAnswer()
        self.place.leave()
        // Also for a channel that was closed before it was ever active, which never becomes inactive.
        self.loop.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        switch self.phase {
        case .opaque(let peer):
            peer.write(bytes)
            return
        case .closing:
            self.closesCleanly = false
            return
        default:
            break
        }
        if self.input.readableBytes == 0 {
            self.input = bytes
        } else {
            self.input.writeBuffer(&bytes)
        }
        self.process()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .opaque(let peer) = self.phase { peer.flush() }
        context.flush()
        context.fireChannelReadComplete()
    }

    /// Holds the reading while nobody can take what would come: this is the back-pressure towards the client.
    func read(context: ChannelHandlerContext) {
        if self.canRead {
            context.read()
        } else {
            self.readIsHeld = true
        }
    }

    private var canRead: Bool {
        switch self.phase {
        case .opaque(let peer): peer.isWritable
        case .body: !self.isHeld && self.exchange?.canTakeBody ?? true
        case .head, .tunnelStart, .transparentStart, .answering: self.input.readableBytes < Self.pendingLimit
        case .closing: true
        }
    }

    /// Whether the rest of a body waits until somebody lets the request go.
    private var isHeld: Bool {
        if case .held = self.bodySink { true } else { false }
    }

    /// Whether, as far as can be known, all that the client sent has been read.
    var hasReadAll: Bool {
        if case .body = self.phase { return false }
        return self.input.readableBytes == 0 && !self.readIsHeld
    }

    /// To be called whenever ``canRead`` may have become true.
    func resumeReading() {
        guard self.readIsHeld, self.canRead, let context = self.context else { return }
        self.readIsHeld = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.exchange?.clientBecameWritable()
            if case .opaque(let peer) = self.phase { peer.resumeReading() }
            self.process()
            context.flush()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.clientFinishedSending()
        } else if let handshake = event as? TLSHandshakeCompleted {
            (self.silentHost, self.handshakeHost) = (self.handshakeHost, nil)
            self.deck.log.debug("intercepted TLS", metadata: ["version": "\(handshake.version)"])
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// A client may close its side and still wait for the answer.
    private func clientFinishedSending() {
        self.inputClosed = true
        switch self.phase {
        case .head:
            // Requests that came whole before are answered; half a one never will be whole.
            self.process()
        case .tunnelStart, .transparentStart, .closing:
            self.closeNow()
        case .body:
            // The rest of this body will never come.
            self.exchange?.cancel()
            self.closeNow()
        case .answering:
            self.underWay?.clientFinishedSending()
            self.leaveDelayedExchange()
            self.leaveEventStream()
        case .opaque(let peer):
            peer.finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.dropAnswer()
        if case .opaque(let peer) = self.phase { peer.close() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = error as? TLSHandshakeFailure {
            self.logHandshakeFailure(failure)
        } else if let host = self.handshakeHost {
            // Some clients say no by hanging up.
            self.logHandshakeFailure(TLSHandshakeFailure(host: host, reason: .closed))
        } else {
            self.deck.log.debug("client connection failed", metadata: ["error": "\(error)"])
        }
        self.closeNow()
    }

    // MARK: Parsing

    /// Parses what is there until it runs out, or an answer must be waited for.
    func process() {
        // A body sink or an answer may finish synchronously and ask for more; the outer call goes on then.
        guard !self.isProcessing else { return }
        self.isProcessing = true
        var goesOn = true
        while goesOn, let context = self.context {
            switch self.phase {
            case .head:
                // A client that does not read its answers gets no further ones.
                goesOn = self.input.readableBytes > 0 && context.channel.isWritable && self.parseHead()
                if !goesOn, self.inputClosed, context.channel.isWritable { self.finishAnswer(.close) }
            case .body:
                goesOn = !self.isHeld && self.parseBody()
            case .tunnelStart(let origin, let session):
                goesOn = self.startTunnel(origin, session)
            case .transparentStart(let port):
                goesOn = self.startTransparent(port)
            case .answering, .opaque, .closing:
                goesOn = false
            }
        }
        self.isProcessing = false
        if self.input.readableBytes > 0, case .head = self.phase { self.awaitHead() }
        if case .body = self.phase { self.awaitBody() }
        self.resumeReading()
    }

    private func parseBody() -> Bool {
        do {
            guard let piece = try self.decoder.next(&self.input) else { return false }
            switch piece {
            case .bytes(let bytes):
                self.takeBody(bytes)
            case .end(let trailers):
                self.phase = .answering
                self.endBody(trailers: trailers)
            }
            return true
        } catch {
            self.refuseBody(error)
            return false
        }
    }

    /// Ends a request whose body is malformed or late.
    func refuseBody(_ problem: MalformedMessage) {
        let isAnswering = self.exchange?.isAnswering ?? false
        self.exchange?.cancel()
        self.exchange = nil
        if isAnswering {
            self.breakOff(problem)
        } else {
            self.refuse(problem)
        }
    }

    // MARK: Stopping

    /// Finishes what is under way, then closes.
    func stop() {
        self.stopping = true
        switch self.phase {
        case .head where self.input.readableBytes == 0:
            // The last answer may not be out yet. Nothing unread waits here, so no reset can chase it.
            self.phase = .closing
            self.whenWritten { channel in channel.close(promise: nil) }
        case .closing where self.closesCleanly:
            self.whenWritten { channel in channel.close(promise: nil) }
        case .tunnelStart, .transparentStart:
            self.closeNow()
        case .opaque(let peer):
            peer.finish()
            self.finish()
        default:
            self.exchange?.hurry()
            self.underWay?.hurry()
        }
    }

    /// Whether it ends after the answer under way.
    var isStopping: Bool { self.stopping }

    /// Whether the connection takes another request after this one.
    var takesMoreRequests: Bool { !self.stopping && (!self.inputClosed || self.input.readableBytes > 0) }

    func abort() {
        self.dropAnswer()
        self.closeNow()
    }

    /// A client that has finished sending does not wait out a delay before its request is passed on; see
    /// ``StagedAnswer/clientFinishedSending()``.
    func leaveDelayedExchange() {
        guard self.inputClosed, let exchange = self.exchange, exchange.isDelayed else { return }
        exchange.cancel()
        self.abandonAnswer()
    }

    /// A client that has finished sending while an event stream is recorded has left: nobody knows when the next event
    /// comes, and what came before it is to be in the cassette when the recording ends.
    private func leaveEventStream() {
        guard let exchange = self.exchange, exchange.recordsEvents else { return }
        exchange.cancel()
        self.abandonAnswer()
    }

    /// Nobody waits for an answer any more.
    private func dropAnswer() {
        self.exchange?.cancel()
        self.exchange = nil
        self.underWay?.cancel()
        self.underWay = nil
        self.trace?.end(.abandoned)
        self.trace = nil
    }

    func closeNow() {
        self.context?.close(promise: nil)
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
