import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// A client's connection over HTTP/1: parses requests one after the other, has an ``Exchange`` answer each, and sends
/// the answers in order.
///
/// ``ClientConnectionState`` has its phases. Everything happens on the channel's event loop. The hot path (a taped
/// answer to a request without a body) runs from ``channelRead(context:data:)`` to one `write` without an allocation.
final class ClientConnection: ChannelDuplexHandler, RemovableChannelHandler, ClientSideConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let deck: ProxyContext
    let loop: LoopContext
    let doorway: ListenerContext
    // The values below are changed by methods of their own, which call nothing of this class, and on one event loop: no two
    // accesses overlap. Checking that at run time took a thirtieth of a request.
    @exclusivity(unchecked) var state: ClientConnectionState
    var context: ChannelHandlerContext?
    /// Bytes that came and are not parsed yet.
    var input = ByteBuffer()
    private var isProcessing = false
    var isFlushDue = false

    // MARK: Requests

    /// Receives the heads of requests.
    let intake: RequestIntake
    /// The version of SOCKS with which the client requested its tunnel; `nil` for CONNECT.
    var socks: SOCKSHandshake.Version?

    // MARK: The current request

    @exclusivity(unchecked) var decoder = BodyDecoder.none
    /// The abilities of its client.
    @exclusivity(unchecked) var client = ClientAbilities()
    /// `nil` if there is no exchange, or if no session was found.
    @exclusivity(unchecked) var exchange: Exchange?
    /// The answer to a request of no session, once its body has been read.
    @exclusivity(unchecked) var localResponse: LocalResponse?
    /// The framing of a response body that is sent in parts.
    var framing: ResponseFraming = .none
    /// True if the response announced the end of the connection.
    @exclusivity(unchecked) var answerCloses = false

    // MARK: Limits

    /// The host whose certificate the client is looking at, until it has taken it.
    var handshakeHost: String?
    /// Ends the connection when the head of a request does not come in time; `nil` while none is waited for.
    var headTimer: Scheduled<Void>?
    /// Ends the connection when a request body makes no progress; `nil` until a connection has one.
    var bodyTimer: Scheduled<Void>?
    /// The time of the last bytes of a body.
    var bodyTime = NIODeadline.now()

    init(deck: ProxyContext, loop: LoopContext, doorway: ListenerContext, route: Route) {
        self.deck = deck
        self.loop = loop
        self.doorway = doorway
        self.intake = RequestIntake(deck: deck, loop: loop, doorway: doorway, route: route)
        self.state = ClientConnectionState(doorway.transparent.map { .transparentStart($0) } ?? .proxyStart)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.loop.add(self)
        self.intake.limitExcess(context.channel)
        self.awaitHead()
        if self.loop.isStopping { self.stop() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.cancelHeadTimeout()
        self.bodyTimer?.cancel()
        self.bodyTimer = nil
        // Another has taken over, and the client is its own.
        if case .handedOver = self.state.phase { return self.loop.remove(self) }
        self.dropExchange()
        // A client may have died while the two ends were being joined.
        if case .opaque(let peer) = self.state.phase { peer.close() }
        self.intake.place.leave()
        // Also for a channel that was closed before it was ever active, which never becomes inactive.
        self.loop.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        switch self.state.bytesCame() {
        case .pass(let peer):
            peer.write(bytes)
        case .drop:
            break
        case .parse:
            if self.input.readableBytes == 0 {
                self.input = bytes
            } else {
                self.input.writeBuffer(&bytes)
            }
            self.process()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .opaque(let peer) = self.state.phase { peer.flush() }
        self.flush()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if self.state.mayRead(waiting: self.waiting, takesBody: self.takesBody) { context.read() }
    }

    /// The number of unparsed bytes.
    var waiting: Int { self.input.readableBytes }

    private var takesBody: Bool { self.exchange?.canTakeBody ?? true }

    /// To be called whenever more may be read than before.
    func resumeReading() {
        guard let context = self.context else { return }
        if self.state.mayReadAgain(waiting: self.waiting, takesBody: self.takesBody) { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            self.exchange?.clientBecameWritable()
            if case .opaque(let peer) = self.state.phase { peer.resumeReading() }
            self.process()
            self.flush()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            self.clientFinishedSending()
        } else if let handshake = event as? TLSHandshakeCompleted {
            self.handshakeHost = nil
            self.deck.log.debug("intercepted TLS", metadata: ["version": "\(handshake.version)"])
            if handshake.applicationProtocol == "h2" { self.handOver() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// A client may close its side and still wait for the answer.
    private func clientFinishedSending() {
        switch self.state.inputClosed() {
        case .none: break
        case .parse: self.process()
        case .close: self.closeNow()
        case .abandon:
            self.dropExchange()
            self.closeNow()
        case .tellExchange: self.exchange?.clientFinishedSending()
        case .finish(let peer): peer.finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.dropExchange()
        if case .opaque(let peer) = self.state.phase { peer.close() }
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

    /// Parses the available bytes until they end, or until an answer must be awaited.
    func process() {
        // An exchange may end synchronously and call this function again; the outer call continues then.
        guard !self.isProcessing else { return }
        self.isProcessing = true
        var goesOn = true
        while goesOn, let context = self.context {
            switch self.state.phase {
            case .head:
                if self.state.isFirstHead, self.beginsHTTP2() {
                    goesOn = false
                    break
                }
                // A client that does not read its answers gets no further ones.
                goesOn = self.waiting > 0 && context.channel.isWritable && self.parseHead()
                if !goesOn, self.state.inputIsClosed, context.channel.isWritable { self.finish(.completeAndClosed) }
            case .body:
                goesOn = !(self.exchange?.isHeld ?? false) && self.parseBody()
            case .proxyStart:
                goesOn = self.startProxy()
            case .socks(let handshake):
                goesOn = self.continueSOCKS(handshake)
            case .tunnelStart(let origin, let session):
                goesOn = self.startTunnel(origin, session)
            case .transparentStart(let port):
                goesOn = self.startTransparent(port)
            case .answering, .dialling, .opaque, .closing, .handedOver:
                goesOn = false
            }
        }
        self.isProcessing = false
        if self.waiting > 0, case .head = self.state.phase { self.awaitHead() }
        if case .body = self.state.phase { self.awaitBody() }
        self.resumeReading()
    }

    /// The first bytes of a client that speaks HTTP/2 without having asked (RFC 9113 section 3.4).
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Hands over to HTTP/2 if the client begins with its preface. Returns true then, and while that may still come.
    private func beginsHTTP2() -> Bool {
        let count = min(self.waiting, Self.preface.count)
        guard count > 0, self.deck.configuration.speaksHTTP2,
            self.input.readableBytesView.prefix(count).elementsEqual(Self.preface.prefix(count))
        else { return false }
        // A method of HTTP/1 may begin as the preface does.
        if count == Self.preface.count { self.handOver() }
        return true
    }

    /// Hands the connection over to HTTP/2, with the bytes received so far.
    private func handOver() {
        guard let context = self.context else { return }
        do {
            let connection = try HTTP2ClientConnection(self.intake)
            self.state.handOver()
            let bytes = self.input
            self.input.clear()
            try context.pipeline.syncOperations.addHandler(connection, position: .after(self))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            if bytes.readableBytes > 0 { connection.receive(bytes) }
            connection.pump()
        } catch {
            self.deck.log.error("cannot speak HTTP/2", metadata: ["error": "\(error)"])
            self.closeNow()
        }
    }

    private func parseBody() -> Bool {
        do {
            guard let piece = try self.decoder.next(&self.input) else { return false }
            switch piece {
            case .bytes(let bytes):
                self.exchange?.takeBody(bytes)
            case .end(let trailers):
                self.state.requestEnded()
                if let answer = self.localResponse {
                    self.send(answer)
                    self.finish(.complete)
                } else {
                    self.exchange?.endBody(trailers: trailers)
                }
            }
            return true
        } catch {
            self.refuseBody(error)
            return false
        }
    }

    /// Ends a request whose body is malformed or late.
    func refuseBody(_ problem: MalformedMessage) {
        if let exchange = self.exchange {
            exchange.refuseRest(problem)
        } else {
            self.refuse(problem)
        }
    }

    // MARK: Stopping

    /// Finishes the current request, then closes.
    func stop() {
        switch self.state.stop(waiting: self.waiting) {
        case .closeWhenWritten: self.closeWhenWritten()
        case .closeNow: self.closeNow()
        case .hurry: self.exchange?.hurry()
        case .finishBoth(let peer):
            peer.finish()
            self.finish()
        }
    }

    func abort() {
        self.dropExchange()
        self.closeNow()
    }

    /// Drops the exchange, because its answer is no longer needed.
    private func dropExchange() {
        self.exchange?.cancel()
        self.exchange = nil
    }
}

/// From the head of a request to its exchange.
extension ClientConnection {
    /// Returns `false` if the head is incomplete.
    func parseHead() -> Bool {
        var input = self.input
        var length = 0
        let outcome = input.withUnsafeReadableBytes { bytes -> RequestIntake.Outcome? in
            switch self.intake.scanner.scan(bytes) {
            case .incomplete: return nil
            case .malformed(let problem): return .malformed(problem)
            case .complete(let end):
                length = end
                return self.open(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
            }
        }
        guard let outcome else { return false }
        self.state.headCame()
        self.cancelHeadTimeout()
        switch outcome {
        case .malformed(let problem):
            self.refuse(problem)
        case .tunnel(let origin, let session):
            self.input.moveReaderIndex(forwardBy: length)
            self.acceptTunnel(to: origin, of: session)
        case .passTunnel(let origin, let session, let reason):
            self.input.moveReaderIndex(forwardBy: length)
            self.passTunnel(to: origin, of: session, reason)
        case .answer(let answer):
            self.input.moveReaderIndex(forwardBy: length)
            self.give(answer)
        case .turnAway(let answer):
            self.turnAway(answer)
        case .request(let seen, let verdict):
            if case .play(let play) = verdict, !self.intake.scanner.hasBody, self.context != nil,
                let response = self.intake.readyAnswer(play, for: self.client, isFast: seen.session.rules.isFast)
            {
                self.input.moveReaderIndex(forwardBy: length)
                self.play(response, play, seen)
                return true
            }
            input.moveReaderIndex(forwardBy: length)
            self.begin(verdict, seen, head: self.input, rest: input)
        }
        return true
    }

    /// Returns the outcome for the request whose head was scanned.
    private func open(_ bytes: UnsafeRawBufferPointer) -> RequestIntake.Outcome {
        self.client = ClientAbilities(
            isHead: self.intake.scanner.isHead,
            version: self.intake.scanner.minorVersion == 1 ? .http11 : .http10,
            keepsAlive: self.intake.scanner.isPersistent && self.state.takesMoreRequests(waiting: self.waiting),
            codings: self.intake.scanner.fields.acceptedCodings
        )
        if let outcome = self.intake.excessOutcome { return outcome }
        if self.intake.scanner.isConnect { return self.openTunnel(bytes) }
        return self.intake.open(bytes, local: self.context?.channel.localAddress)
    }

    // MARK: Exchanges

    /// Plays an immediate answer, and notes it in one step, without an exchange.
    private func play(_ response: PlayableResponse, _ play: Play, _ seen: SeenRequest) {
        self.send(response)
        self.intake.notePlayed(play, seen)
        self.finish(response.ending ?? .complete)
    }

    /// Begins the exchange of the request with the given `head`, and continues with `rest`.
    private func begin(_ verdict: Verdict, _ seen: SeenRequest, head: ByteBuffer, rest: ByteBuffer) {
        let hasBody = self.intake.scanner.hasBody
        let request = head.withUnsafeReadableBytes { self.intake.request($0, of: seen, client: self.client) }
        self.input = rest
        self.expectBody()
        let exchange = Exchange(
            request,
            seen,
            verdict,
            hasBody: hasBody,
            judge: self.intake.judge,
            stream: self,
            deck: self.deck,
            loop: self.loop
        )
        self.exchange = exchange
        exchange.begin(verdict)
    }

    private func expectBody() {
        self.decoder =
            self.intake.scanner.fields.isChunked ? .chunked : .length(self.intake.scanner.fields.contentLength ?? 0)
        self.state.requestBegan()
    }

    /// Gives an answer of Tapedeck's own to the request whose head was read last, once its body has been read.
    private func give(_ answer: LocalResponse) {
        self.expectBody()
        guard self.intake.expectsContinue else {
            self.localResponse = answer
            return
        }
        // RFC 9110 section 10.1.1: a client without a 100 waits for the answer, but may send its body nevertheless.
        self.send(answer)
        self.finish(.complete)
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
