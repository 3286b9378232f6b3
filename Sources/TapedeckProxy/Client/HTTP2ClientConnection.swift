import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckSessions
import TapedeckTLS

/// A client's connection over HTTP/2: an ``HTTP2ClientStream`` for each concurrent request.
///
/// It replaces the ``ClientConnection`` that recognised the protocol, and uses its ``RequestIntake``. libnghttp2 keeps
/// the states of connection and streams; see ``HTTP2Session``. Everything happens on the channel's event loop.
final class HTTP2ClientConnection: ChannelInboundHandler, ClientSideConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let intake: RequestIntake
    let session: HTTP2Session
    private var streams: [Int32: HTTP2ClientStream] = [:]
    private(set) var context: ChannelHandlerContext?
    /// The client has closed its side.
    private(set) var inputIsClosed = false
    private var isStopping = false
    /// The head of a request has come.
    private var hasRequests = false
    /// Somebody has asked for a write at the end of the turn.
    private var isPumpDue = false
    /// It is being reset.
    private var isReset = false
    /// A frame has gone out that breaks the rules. Nothing goes in or out behind it.
    private var isBroken = false
    /// Ends the connection when the head of a request does not come in time.
    private var headTimer: Scheduled<Void>?
    /// Ends bodies without progress.
    private var bodyTimer: Scheduled<Void>?

    init(_ intake: RequestIntake) throws {
        self.intake = intake
        var limits = HTTP2Session.Limits()
        limits.concurrentStreams = UInt32(clamping: min(intake.deck.limits.streams, Int(Int32.max)))
        limits.resets = UInt64(intake.deck.limits.resets)
        self.session = try HTTP2Session(.server, limits: limits)
        self.session.delegate = self
    }

    var deck: ProxyContext { self.intake.deck }
    var loop: LoopContext { self.intake.loop }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.loop.add(self)
        self.awaitHead()
        if self.loop.isStopping { self.stop() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.headTimer?.cancel()
        self.bodyTimer?.cancel()
        self.dropStreams()
        self.intake.place.leave()
        self.loop.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.receive(self.unwrapInboundIn(data))
    }

    /// Processes bytes of the connection, including those that its predecessor has read.
    func receive(_ bytes: ByteBuffer) {
        guard !self.isBroken else { return }
        do {
            try self.session.receive(bytes)
        } catch {
            self.deck.log.notice("refused an HTTP/2 connection", metadata: ["reason": "\(error)"])
            self.pump()
            self.closeNow()
            return
        }
        if self.session.isReadingHead { self.awaitHead() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Not now: a write that fails closes the channel, which swift-nio does not expect here behind an end of input.
        self.pumpSoon()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.pump() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.inputIsClosed = true
            for stream in self.streams.values { stream.clientFinishedSending() }
            self.pump()
            // It may be gone, and take no byte.
            let channel = context.channel
            context.eventLoop.scheduleTask(in: self.deck.configuration.headTimeout) { channel.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.dropStreams()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.deck.log.debug("client connection failed", metadata: ["error": "\(error)"])
        self.closeNow()
    }

    // MARK: Writing

    /// Writes what the session has for the client, as long as its socket takes it.
    func pump() {
        guard let context = self.context, !self.session.isRunning, !self.isBroken else { return }
        self.session.write(to: context)
        if self.inputIsClosed { self.giveUpStreams() }
        self.closeIfOver()
    }

    /// Ends the answers that wait for windows of a client that can open none any more: it may be gone, and the origin's
    /// connection, which others use, must not wait for it.
    private func giveUpStreams() {
        let waiting = self.streams.filter { self.session.awaitsWindow($0.key) }
        guard !waiting.isEmpty, let context = self.context else { return }
        for stream in waiting.keys { self.session.abandon(stream, code: .cancel) }
        self.session.write(to: context)
    }

    /// Writes what the session has for the client at the end of this turn of the loop, with whatever else comes in it: a
    /// write for each answer costs more than the answer.
    func pumpSoon() {
        guard !self.isPumpDue, let context = self.context else { return }
        self.isPumpDue = true
        context.eventLoop.assumeIsolated().execute {
            self.isPumpDue = false
            self.pump()
        }
    }

    private func closeIfOver() {
        let isLast = self.streams.isEmpty && (self.isStopping || self.inputIsClosed)
        guard self.session.isOver || isLast, !self.isReset, let context = self.context, context.channel.isWritable
        else {
            return
        }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        // A close before would throw away what the socket has not taken yet.
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
    }

    func closeNow() {
        self.context?.close(promise: nil)
    }

    /// Ends the connection with a reset, as a network does that breaks off.
    func reset() {
        guard let context = self.context, !self.isReset else { return }
        self.isReset = true
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in ConnectionReset(channel: channel).start() }
        self.pump()
        self.context?.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
    }

    /// DATA on stream 0, which is an error of the connection (RFC 9113 section 6.1).
    private static let brokenFrame: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0]

    /// Sends a frame that breaks the rules of HTTP/2, and ends the connection once the client has taken it.
    func breakProtocol() {
        guard self.context != nil, !self.isBroken else { return }
        self.pump()
        self.isBroken = true
        guard let context = self.context else { return }
        let channel = context.channel
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: Self.brokenFrame)), promise: nil)
        // A close with unread bytes would be a reset, which might overtake the frame.
        context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }

    private func dropStreams() {
        let streams = self.streams.values
        self.streams = [:]
        for stream in streams { stream.cancel() }
        // The promises of unsent parts hold references to the connection.
        self.session.dropOutputs()
    }

    // MARK: Stopping

    func stop() {
        guard !self.isStopping else { return }
        self.isStopping = true
        self.session.goAway()
        for stream in self.streams.values { stream.hurry() }
        self.pump()
    }

    func abort() {
        self.dropStreams()
        self.closeNow()
    }

    // MARK: Silence

    private func awaitHead() {
        guard self.headTimer == nil, let context = self.context else { return }
        let timeout = self.deck.configuration.headTimeout
        self.headTimer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            guard let self else { return }
            self.headTimer = nil
            guard self.session.isReadingHead || !self.hasRequests else { return }
            self.session.goAway(.enhanceYourCalm)
            self.pump()
            self.closeNow()
        }
    }

    private func headCame() {
        self.hasRequests = true
        self.headTimer?.cancel()
        self.headTimer = nil
    }

    /// Ends requests whose bodies make no progress for ``ProxyConfiguration/bodyTimeout``.
    private func watchBodies() {
        guard self.bodyTimer == nil, let context = self.context else { return }
        let timeout = self.deck.configuration.bodyTimeout
        self.bodyTimer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            guard let self else { return }
            self.bodyTimer = nil
            let limit = NIODeadline.now() - timeout
            for stream in self.streams.values { stream.refuseBody(silentSince: limit) }
            if self.streams.values.contains(where: { $0.awaitsBody }) { self.watchBodies() }
            self.pump()
        }
    }
}

// MARK: - Requests

extension HTTP2ClientConnection: HTTP2SessionDelegate {
    func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
        if let stream = self.streams[stream] {
            stream.received(trailers: head)
            return
        }
        self.headCame()
        let made = HTTP2ClientStream(stream, of: self)
        self.streams[stream] = made
        made.begin(head, endsStream: endsStream)
        if !endsStream { self.watchBodies() }
    }

    func received(_ bytes: ByteBuffer, on stream: Int32) {
        guard let stream = self.streams[stream] else {
            // An answer may have gone out before the end of its request.
            self.session.consume(bytes.readableBytes, of: stream)
            return
        }
        stream.received(bytes)
    }

    func receivedEnd(of stream: Int32) {
        self.streams[stream]?.receivedEnd()
    }

    func becameWritable(_ stream: Int32) {
        self.streams[stream]?.becameWritable()
    }

    func closed(_ stream: Int32, code: UInt32) {
        self.streams.removeValue(forKey: stream)?.cancel(isReset: true)
    }

    func goesAway(lastStream: Int32, code: UInt32) {}
}

@available(*, unavailable)
extension HTTP2ClientConnection: Sendable {}
