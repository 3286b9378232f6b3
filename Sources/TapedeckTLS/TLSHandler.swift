package import NIOCore

/// TLS for one channel, in either role, over OpenSSL.
///
/// Plaintext above, ciphertext below. Fires ``TLSHandshakeCompleted`` when the handshake is done, or
/// ``TLSHandshakeFailure`` as an error before it closes the channel. The end of the peer's data is
/// `ChannelEvent.inputClosed`, preceded by ``TLSTruncated`` when there was no close_notify; after a
/// clean end the channel is closed unless its option `allowRemoteHalfClosure` is on. A peer that
/// breaks the protocol later is a `TLSError(.protocol)`, and the channel is closed.
///
/// Writes are encrypted when they are flushed, those before the end of the handshake right after it;
/// a write's promise succeeds with the write of the last of its ciphertext. `close(mode: .all)` sends
/// close_notify and closes at once, as NIO does: what the kernel has not taken by then is lost, so
/// close when the last write's promise has succeeded. `close(mode: .output)` loses nothing.
///
/// ```
/// idle ──active──▶ handshaking ──done──▶ open ──┐
///   │                  │ failure, close          │ close, error, channelInactive
///   └─────────────────▶┴──────────▶ closed ◀─────┘
/// ```
///
/// Every callout (`fire…`, `write…`, `close`) may come back into this handler. Hence state is changed
/// before a callout and looked at again after it, no OpenSSL call is on the stack during one, and the
/// flags `isProcessing` and `isWriting` turn a nested call into more work for the outer one.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    enum State {
        case idle
        case handshaking
        case open
        case closed
    }

    let connection: TLSConnection
    var state = State.idle
    /// The peer's data has ended, with or without close_notify.
    var inputEnded = false
    /// We have sent close_notify.
    var outputEnded = false
    var writes = PendingWrites()
    /// Stands for the writes whose last byte is in the ciphertext that has not been sent yet.
    var ciphertextPromise: EventLoopPromise<Void>?
    /// A `close(mode: .output)` that waits for flushed writes, with its promise.
    var outputClose: EventLoopPromise<Void>?
    var isWriting = false

    private var context: ChannelHandlerContext?
    private var isProcessing = false
    /// More ciphertext came while `isProcessing`.
    private var hasMoreInput = false
    /// A handler above has a pending read.
    private var owesRead = false

    private init(_ connection: TLSConnection) {
        self.connection = connection
    }

    /// Creates the server side of a connection that a client opened.
    ///
    /// - Parameters:
    ///   - context: the source of certificates.
    ///   - fallbackHost: the host to present a certificate for if the client sends no SNI: the host of its CONNECT, or
    ///     the address it connected to.
    ///   - http2: true to select `h2` if the client offers it.
    /// - Throws: `TLSError(.invalidHost)` if `fallbackHost` is not a host.
    package static func server(
        context: TLSServerContext,
        fallbackHost: String,
        http2: Bool = false
    ) throws -> TLSHandler {
        let connection = try TLSConnection(server: context, fallbackHost: fallbackHost)
        connection.speaksHTTP2 = http2
        return TLSHandler(connection)
    }

    /// Creates the client side of a connection to `host`.
    ///
    /// Sends SNI for DNS names only (RFC 6066 section 3) and offers ALPN `http/1.1`, and `h2` if requested.
    ///
    /// - Parameters:
    ///   - context: the trusted certificates.
    ///   - host: a DNS name, or an IPv4 or IPv6 address without brackets.
    ///   - verifiesPeer: true to verify chain and host (the default). A wildcard matches a whole label or nothing (RFC
    ///     9525 section 6.3).
    ///   - certificate: presented if the server requests one; nil by default.
    ///   - http2: true to offer `h2`; false by default.
    /// - Throws: `TLSError(.invalidHost)` if `host` is not a host.
    package static func client(
        context: TLSClientContext,
        host: String,
        verifiesPeer: Bool = true,
        certificate: ClientCertificate? = nil,
        http2: Bool = false
    ) throws -> TLSHandler {
        let connection = try TLSConnection(
            client: context,
            host: host,
            verifiesPeer: verifiesPeer,
            certificate: certificate,
            http2: http2
        )
        return TLSHandler(connection)
    }

    /// The SNI, verbatim: on the server side as received, once the first message has arrived; on the client side as
    /// sent. Nil if there is no SNI.
    package var serverName: String? {
        self.connection.serverName
    }

    /// The result of the handshake, once it is complete.
    package private(set) var handshake: TLSHandshakeCompleted?

    /// Processes `bytes` as if the channel had read them: those read before this handler was added, such as the first
    /// ones after a CONNECT.
    ///
    /// Call it on the event loop, after the handler was added and before anything else is read.
    package func receive(_ bytes: ByteBuffer) {
        guard let context = self.context else {
            return
        }
        self.accept(bytes, context: context)
        self.channelReadComplete(context: context)
    }

    // MARK: Life of the channel

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive {
            self.start(context: context)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.state = .closed
        self.failWrites(ChannelError.ioOnClosedChannel)
    }

    package func channelActive(context: ChannelHandlerContext) {
        // First those above, so that they never see the end of a channel whose start they have not seen.
        context.fireChannelActive()
        self.start(context: context)
    }

    private func start(context: ChannelHandlerContext) {
        guard self.state == .idle else {
            return
        }
        self.state = .handshaking
        self.process(context: context)
        if self.state == .handshaking {
            // The handlers above do not read before there is data for them.
            context.read()
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let previous = self.state
        self.state = .closed
        switch previous {
        case .handshaking:
            let failure = self.connection.failure(.closed)
            self.failWrites(failure)
            context.fireErrorCaught(failure)
        case .open where !self.inputEnded:
            self.failWrites(ChannelError.ioOnClosedChannel)
            context.fireUserInboundEventTriggered(TLSTruncated())
        case .idle, .open, .closed:
            self.failWrites(ChannelError.ioOnClosedChannel)
        }
        context.fireChannelInactive()
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.accept(self.unwrapInboundIn(data), context: context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // A read that yielded only part of a record, or of the handshake, has not satisfied the request.
        if self.state == .handshaking || self.state == .open && !self.inputEnded && self.owesRead {
            context.read()
        }
    }

    package func read(context: ChannelHandlerContext) {
        self.owesRead = true
        context.read()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch self.state {
        case .handshaking:
            self.abort(self.connection.failure(.closed), context: context)
        case .open where self.inputEnded:
            // Told already, when close_notify came.
            break
        case .open:
            self.inputEnded = true
            context.fireUserInboundEventTriggered(TLSTruncated())
            context.fireUserInboundEventTriggered(event)
        case .idle, .closed:
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func accept(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        guard self.state != .closed, !self.inputEnded else {
            return
        }
        self.connection.bio.receive(bytes)
        if self.state == .idle {
            self.start(context: context)
        } else {
            self.process(context: context)
        }
    }

    /// Processes all available ciphertext.
    private func process(context: ChannelHandlerContext) {
        guard !self.isProcessing else {
            self.hasMoreInput = true
            return
        }
        self.isProcessing = true
        repeat {
            self.hasMoreInput = false
            if self.state == .handshaking {
                self.stepHandshake(context: context)
            }
            if self.state == .open {
                self.decrypt(context: context)
            }
        } while self.hasMoreInput && self.state != .closed
        self.isProcessing = false
        self.connection.bio.releaseInbound()
    }

    private func stepHandshake(context: ChannelHandlerContext) {
        switch self.connection.handshake() {
        case .needsInput:
            self.sendCiphertext(context: context)
        case .done:
            self.state = .open
            let completion = self.connection.completion
            self.handshake = completion
            self.sendCiphertext(context: context)
            guard self.state == .open else {
                return
            }
            context.fireUserInboundEventTriggered(completion)
            self.encrypt(context: context)
        case .closed:
            self.abort(self.connection.failure(.closed), context: context)
        case .failed(let errors):
            self.abort(self.connection.failure(errors), context: context)
        }
    }

    private func decrypt(context: ChannelHandlerContext) {
        reading: while self.state == .open, !self.inputEnded, self.connection.mayHavePlaintext {
            // Plaintext is shorter than its ciphertext, but a record may have begun in an earlier read.
            let least = self.connection.hasBegunRecord ? 16 << 10 : 1
            let capacity = min(max(self.connection.bio.inboundCount, least), 64 << 10)
            var buffer = context.channel.allocator.buffer(capacity: capacity)
            let step = self.connection.read(into: &buffer)
            if buffer.readableBytes > 0 {
                self.owesRead = false
                context.fireChannelRead(self.wrapInboundOut(buffer))
            }
            // The receiver of the bytes may have closed the connection.
            guard self.state == .open else {
                return
            }
            switch step {
            case .done:
                continue
            case .needsInput:
                break reading
            case .closed:
                self.endInput(context: context)
            case .failed(let errors):
                let rejection = self.connection.rejection(errors)
                self.abort(rejection ?? TLSError.broken(errors), context: context)
            }
        }
        // Reading can make an answer due (a key update) and let a write proceed that was held up.
        self.encrypt(context: context)
    }

    /// After the peer's close_notify.
    private func endInput(context: ChannelHandlerContext) {
        self.inputEnded = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        let allowsHalfClosure = try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)
        if self.state == .open, self.outputEnded || allowsHalfClosure != true {
            self.closeAll(context: context, promise: nil)
        }
    }

    /// Sends the alert that is due, reports `error` and closes the channel.
    func abort(_ error: any Error, context: ChannelHandlerContext) {
        self.state = .closed
        self.sendCiphertext(context: context)
        self.failWrites(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension TLSHandler: Sendable {}
