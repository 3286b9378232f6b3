import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// The answers of a connection, in the framing of HTTP/1.1 (RFC 9112 sections 6 and 9).
extension ClientConnection: ClientStream {
    var hasFinishedSending: Bool { self.state.inputIsClosed }

    private func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context = self.context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(self.wrapOutboundOut(bytes), promise: promise)
    }

    func flush() {
        self.loop.flushes.add(self)
    }

    // MARK: Part by part

    func sendContinue() {
        self.write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        self.flush()
    }

    func sendInterim(_ head: ResponseHead) {
        var buffer = ByteBuffer()
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: head.fields,
            closes: false,
            isHTTP10: false,
            to: &buffer
        )
        self.write(buffer)
    }

    @discardableResult
    func sendHead(_ head: ResponseHead, end: BodyEnd) -> [HeaderField] {
        var fields = head.fields
        if self.client.isHead || !ResponseHead.allowsBody(status: head.status) {
            self.framing = .none
        } else if end == .marked || fields.contains(named: "transfer-encoding") {
            self.frameOpenBody(&fields)
        } else if end == .atClose {
            self.framing = .untilClose
        } else {
            self.framing = .length(0)
        }
        self.answerCloses = self.mustClose || self.framing == .untilClose
        var buffer = ByteBuffer()
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: fields,
            closes: self.answerCloses,
            isHTTP10: self.client.version == .http10,
            to: &buffer
        )
        self.write(buffer)
        return fields
    }

    /// Frames a body of unknown length.
    private func frameOpenBody(_ fields: inout [HeaderField]) {
        // RFC 9112 section 6.1: no chunks for a client that may not know them.
        guard self.client.version == .http11 else {
            self.framing = .untilClose
            fields.removeAll { $0.isNamed("transfer-encoding") }
            return
        }
        self.framing = .chunked
        // An origin of HTTP/2 has no such field.
        if !fields.contains(named: "transfer-encoding") {
            fields.append(HeaderField("Transfer-Encoding", "chunked"))
        }
    }

    /// True if the connection cannot carry another request: the client does not want it to, or the rest of this one is not
    /// read.
    private var mustClose: Bool {
        !self.client.keepsAlive || !self.state.hasReadRequest(bodyEndsNow: self.decoder.endsNow)
    }

    func sendBody(_ bytes: ByteBuffer) {
        guard self.framing == .chunked else {
            self.write(bytes)
            return
        }
        var chunk = ByteBuffer()
        WireHead.writeChunk(bytes, to: &chunk)
        self.write(chunk)
    }

    func sendEnd(trailers: [HeaderField]) {
        guard self.framing == .chunked else { return }
        var last = ByteBuffer()
        WireHead.writeLastChunk(trailers: trailers, to: &last)
        self.write(last)
    }

    // MARK: Whole

    func send(_ response: PlayableResponse) {
        self.write(response.bytes)
    }

    func sendHead(of response: PlayableResponse) {
        self.write(response.headBytes)
        self.flush()
    }

    func sendBody(_ bytes: ByteBuffer, of response: PlayableResponse, written: EventLoopPromise<Void>) {
        var buffer = bytes
        if response.framing == .chunked {
            buffer = ByteBuffer()
            buffer.reserveCapacity(bytes.readableBytes + 16)
            WireHead.writeChunk(bytes, to: &buffer)
        }
        self.write(buffer, promise: written)
        self.flush()
    }

    func sendEnd(of response: PlayableResponse) {
        self.write(response.tailBytes)
    }

    func send(_ answer: LocalResponse) {
        self.send(answer, to: self.client, closes: self.mustClose || answer.closes)
    }

    /// - Parameter closes: the connection ends with the answer.
    private func send(_ answer: LocalResponse, to client: ClientAbilities, closes: Bool) {
        guard let context = self.context else { return }
        self.answerCloses = closes
        var buffer = context.channel.allocator.buffer(capacity: 1024)
        answer.write(to: &buffer, client: client, closes: closes)
        self.write(buffer)
    }

    /// Neither HTTP nor TLS, and the same every time.
    private static let garbage = (0..<256).map { UInt8(truncatingIfNeeded: 0x80 | $0 &* 0x65) }

    func sendGarbage() {
        self.write(ByteBuffer(bytes: Self.garbage))
    }

    // MARK: Of no session

    /// Answers any request of the client, and ends the connection.
    func turnAway(_ answer: LocalResponse) {
        self.send(answer, to: ClientAbilities(isHead: self.client.isHead), closes: true)
        self.finish(.completeAndClosed)
    }

    /// Refuses a request that cannot be understood; nothing behind it can be either, so the connection ends.
    func refuse(_ problem: MalformedMessage) {
        self.deck.log.notice("refused a request", metadata: ["reason": "\(problem.reason)"])
        self.loop.metrics.count(.none, .refused, microseconds: nil)
        self.send(.refusal(problem), to: ClientAbilities(), closes: true)
        self.finish(.completeAndClosed)
    }

    // MARK: Ends

    /// The answer is out: the next request, or the end of the connection.
    func finish(_ ending: StreamEnding) {
        self.exchange = nil
        self.localResponse = nil
        let closes = self.answerCloses
        self.answerCloses = false
        switch self.state.answerEnded(ending, closes: closes, waiting: self.waiting) {
        case .nextRequest:
            break
        case .close(let atOnce):
            self.input.clear()
            self.closeGently(atOnce: atOnce)
        case .cut:
            self.whenWritten { channel in
                // A close_notify would tell the client that all of the body has come.
                channel.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
                channel.close(promise: nil)
            }
        case .reset:
            self.whenWritten { ConnectionReset(channel: $0).start() }
        }
    }

    /// Closes the sending side, then waits a moment for the client to close its own. A deck that is stopping waits for
    /// no client from which nothing unread can be left.
    private func closeGently(atOnce: Bool) {
        self.whenWritten { channel in
            let hasClientClosed = self.state.answerIsWritten()
            guard !atOnce, !hasClientClosed else {
                channel.close(promise: nil)
                return
            }
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }

    func goOn() {
        self.process()
        self.flush()
    }

    func closeNow() {
        // An answer that was written in this turn must not be lost.
        if self.isFlushDue { self.context?.flush() }
        self.context?.close(promise: nil)
    }

    func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer {
        self.exchange = nil
        self.state.joined(with: peer)
        if self.waiting > 0 {
            peer.write(self.input)
            peer.flush()
            self.input.clear()
        }
        if self.state.inputIsClosed { peer.finish() }
        self.resumeReading()
        return self
    }
}

extension ClientConnection: OpaquePeer, FlushedByTurn {
    func close() {
        self.closeNow()
    }
}
