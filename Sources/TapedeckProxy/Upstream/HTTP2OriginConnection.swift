import NIOCore
import TapedeckCore
import TapedeckHTTP2
import TapedeckSessions
import TapedeckTLS

/// One connection to an origin over HTTP/2: an ``HTTP2OriginStream`` for each current request.
///
/// libnghttp2 keeps the states of connection and streams; see ``HTTP2Session``. The connection is always read, because
/// a waiting stream must not delay the others: an origin is held back by its windows, which follow the receivers of the
/// bodies.
final class HTTP2OriginConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The requests that a connection serves: those of one session with the same route.
    struct Key: Hashable {
        var route: UpstreamRoute
        var session: String
    }

    let key: Key
    /// The settings of the connection.
    let settings: ProxySettings
    let session: HTTP2Session
    let readTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    private let pool: UpstreamPool
    private var streams: [Int32: HTTP2OriginStream] = [:]
    private(set) var context: ChannelHandlerContext?
    /// The origin takes no further request on it.
    private var goesAway = false
    private var idleTimer: Scheduled<Void>?
    private var lastError: (any Error)?
    /// Requests that wait for the end of another one.
    private var waiting = CircularBuffer<EventLoopPromise<Void>>()
    private var turnTimer: Scheduled<Void>?
    /// Somebody has asked for a write at the end of the turn.
    private var isPumpDue = false

    init(
        key: Key,
        settings: ProxySettings,
        pool: UpstreamPool,
        readTimeout: TimeAmount,
        idleTimeout: TimeAmount
    ) throws {
        self.key = key
        self.settings = settings
        self.pool = pool
        self.readTimeout = readTimeout
        self.idleTimeout = idleTimeout
        self.session = try HTTP2Session(.client)
        self.session.delegate = self
    }

    /// True if it accepts another request now.
    var takesRequests: Bool {
        !self.goesAway && self.session.takesRequests && self.streams.count < self.limit
            && self.context?.channel.isActive ?? false
    }

    /// The number of requests at a time: one until the origin has said how many it takes.
    private var limit: Int { self.session.hasPeerSettings ? self.session.peerLimit : 1 }

    /// The time for which requests wait for the end of another one, before they get a further connection: it may be a stream
    /// without an end. 1 s.
    private static let turnTimeout = TimeAmount.seconds(1)

    /// True if it accepts another request once one of those on it has ended.
    private var isFull: Bool {
        !self.goesAway && self.session.takesRequests && self.streams.count >= self.limit
            && !self.streams.isEmpty && self.context?.channel.isActive ?? false
    }

    /// Returns a future of the end of another request, in the order of asking; `nil` if there is nothing to wait for.
    ///
    /// Once none has ended for ``turnTimeout``, no further request comes here, and those that wait share a new connection.
    func turn() -> EventLoopFuture<Void>? {
        guard self.isFull, let context = self.context else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        self.waiting.append(promise)
        if self.turnTimer == nil { self.watchTurns() }
        return promise.futureResult
    }

    private func watchTurns() {
        self.turnTimer?.cancel()
        self.turnTimer = self.context?.eventLoop.assumeIsolated().scheduleTask(in: Self.turnTimeout) { [weak self] in
            guard let self else { return }
            self.turnTimer = nil
            guard !self.waiting.isEmpty else { return }
            self.pool.remove(self)
            self.passTurns(all: true)
        }
    }

    /// Lets waiting requests have free places, or all go on where there will be none.
    private func passTurns(all: Bool = false) {
        var free = self.isFull || !self.takesRequests ? 0 : self.limit - self.streams.count
        if all || self.goesAway { free = self.waiting.count }
        guard free > 0, !self.waiting.isEmpty else { return }
        for _ in 0..<min(free, self.waiting.count) { self.waiting.popFirst()?.succeed() }
        if self.waiting.isEmpty {
            self.turnTimer?.cancel()
            self.turnTimer = nil
        } else {
            self.watchTurns()
        }
    }

    /// Something to send one request on.
    func makeStream() -> HTTP2OriginStream {
        self.idleTimer?.cancel()
        self.idleTimer = nil
        return HTTP2OriginStream(on: self)
    }

    func add(_ stream: HTTP2OriginStream, as id: Int32) {
        self.streams[id] = stream
    }

    /// Ends the connection once it has no requests left, if the pool no longer needs it.
    func retire() {
        self.goesAway = true
        if self.streams.isEmpty { self.close() }
    }

    func close() {
        self.goesAway = true
        self.idleTimer?.cancel()
        self.session.goAway()
        self.pump()
        self.context?.close(promise: nil)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The preface and SETTINGS are sent with the first request.
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            try self.session.receive(self.unwrapInboundIn(data))
        } catch {
            self.lastError = UpstreamFailure(fault: .malformedResponse, detail: "\(error)")
            self.pump()
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        for stream in self.streams.values { stream.pause() }
        self.passTurns()
        self.pump()
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.pump() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.lastError = self.lastError ?? error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.goesAway = true
        self.idleTimer?.cancel()
        self.pool.remove(self)
        let streams = self.streams.values
        self.streams = [:]
        let error = self.lastError
        for stream in streams { stream.connectionEnded(error) }
        self.session.dropOutputs()
        self.passTurns(all: true)
        context.fireChannelInactive()
    }

    // MARK: Writing

    /// Writes what the session has for the origin, as long as its socket takes it.
    func pump() {
        guard let context = self.context, !self.session.isRunning else { return }
        self.session.write(to: context)
        if self.session.isOver || self.goesAway && self.streams.isEmpty { context.close(promise: nil) }
    }

    /// Writes what the session has for the origin at the end of this turn of the loop, as
    /// ``HTTP2ClientConnection/pumpSoon()`` does.
    func pumpSoon() {
        guard !self.isPumpDue, let context = self.context else { return }
        self.isPumpDue = true
        context.eventLoop.assumeIsolated().execute {
            self.isPumpDue = false
            self.pump()
        }
    }

    /// Closes the connection if it is not used for a while.
    func waitIdle() {
        guard self.streams.isEmpty, !self.goesAway else { return }
        self.idleTimer?.cancel()
        self.idleTimer = self.context?.eventLoop.assumeIsolated().scheduleTask(in: self.idleTimeout) { [weak self] in
            self?.close()
        }
    }
}

// MARK: - Responses

extension HTTP2OriginConnection: HTTP2SessionDelegate {
    func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
        self.streams[stream]?.received(head, endsStream: endsStream)
    }

    func received(_ bytes: ByteBuffer, on stream: Int32) {
        // Many clients share the connection: one that reads slowly holds back its own stream, by its window, and no other.
        self.session.consume(bytes.readableBytes)
        self.streams[stream]?.received(bytes)
    }

    func receivedEnd(of stream: Int32) {
        self.streams[stream]?.receivedEnd()
    }

    func becameWritable(_ stream: Int32) {
        self.streams[stream]?.becameWritable()
    }

    func closed(_ stream: Int32, code: UInt32) {
        let isReset = self.session.isReset(stream)
        self.streams.removeValue(forKey: stream)?.closed(HTTP2ErrorCode(rawValue: code), isReset: isReset)
        self.waitIdle()
    }

    func goesAway(lastStream: Int32, code: UInt32) {
        self.goesAway = true
        self.pool.remove(self)
        self.passTurns(all: true)
        // RFC 9113 section 6.8: what comes after it was not looked at, and can be sent again.
        let code = HTTP2ErrorCode(rawValue: code)
        for (id, stream) in self.streams where id > lastStream { stream.refused(.goAwayRefused, code) }
        if code != .noError {
            self.lastError = UpstreamFailure(fault: .emptyResponse, detail: "the origin said GOAWAY with \(code.name)")
        }
    }
}

@available(*, unavailable)
extension HTTP2OriginConnection: Sendable {}
