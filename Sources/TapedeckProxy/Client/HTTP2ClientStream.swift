import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckSessions

/// One request of an ``HTTP2ClientConnection``, and the stream of its answer.
final class HTTP2ClientStream {
    let id: Int32
    private let connection: HTTP2ClientConnection
    private var exchange: Exchange?
    private var client = ClientAbilities(version: .http2)
    /// How the request frames its messages; `nil` if it is no call.
    private var framing: MessageFraming?
    /// Pieces of the request's body that wait for a receiver.
    private var input = CircularBuffer<ByteBuffer>()
    /// The trailer fields of the request, once all of it has come.
    private var trailers: [HeaderField]?
    private var hasDeliveredEnd = false
    private var isDelivering = false
    /// The time of the last piece of the body.
    private var bodyTime = NIODeadline.now()
    /// The number of body bytes received after the answer.
    private var excess = 0
    /// The head of a response that may turn out to be all of it: gRPC takes a status alone from a head that ends the
    /// stream, and not from one that an empty frame follows.
    private var heldHead: ResponseHead?
    private var hasSentHead = false
    private var hasSentEnd = false
    /// The exchange has ended.
    private var isFinished = false

    /// The maximum size of a request that is read after its answer was sent, before the stream is reset. Some clients
    /// stop only when they have sent everything. 1 MiB.
    private static let excessLimit = 1 << 20

    init(_ id: Int32, of connection: HTTP2ClientConnection) {
        self.id = id
        self.connection = connection
    }

    private var session: HTTP2Session { self.connection.session }
    private var intake: RequestIntake { self.connection.intake }

    // MARK: Request

    /// Opens the request.
    func begin(_ head: HTTP2Head, endsStream: Bool) {
        if endsStream { self.trailers = [] }
        guard !head.isTooLarge else {
            self.refuse(MalformedMessage("the header is larger than \(MessageLimits.head) bytes", status: 431))
            return
        }
        self.framing = head.value(of: "content-type").flatMap { MessageFraming(contentType: ByteText.string(from: $0)) }
        let bytes: [UInt8]
        do {
            // A port with --reverse is a server, and a page's requests to it are looked at as such.
            let isProxy = self.intake.route.isProxy && self.intake.doorway.reverseOrigin == nil
            bytes = try head.asHTTP1(isProxy: isProxy, hasBody: !endsStream)
        } catch {
            self.refuse(error)
            return
        }
        switch bytes.withUnsafeBytes({ self.open($0) }) {
        case .malformed(let problem):
            self.refuse(problem)
        case .tunnel, .passTunnel:
            self.refuse(MalformedMessage("CONNECT over HTTP/2 is not supported", status: 501))
        case .answer(let answer):
            self.send(answer)
            self.finish(.complete)
        case .turnAway(let answer):
            self.send(answer)
            self.session.goAway()
            self.finish(.complete)
        case .request(let seen, let verdict):
            self.begin(verdict, seen, bytes, form: head.form, hasBody: !endsStream)
        }
    }

    private func open(_ bytes: UnsafeRawBufferPointer) -> RequestIntake.Outcome {
        switch self.intake.scanner.scan(bytes) {
        case .incomplete: return .malformed(MalformedMessage("the request has no end"))
        case .malformed(let problem): return .malformed(problem)
        case .complete: break
        }
        self.intake.stream = self.id
        self.client.isHead = self.intake.scanner.isHead
        self.client.codings = self.intake.scanner.fields.acceptedCodings
        if let outcome = self.intake.excessOutcome { return outcome }
        return self.intake.open(bytes, local: self.connection.context?.channel.localAddress)
    }

    private func begin(
        _ verdict: Verdict,
        _ seen: SeenRequest,
        _ bytes: [UInt8],
        form: @autoclosure () -> HTTP2RequestForm,
        hasBody: Bool
    ) {
        if case .play(let play) = verdict, !hasBody,
            let response = self.intake.readyAnswer(play, for: self.client, isFast: seen.session.rules.isFast)
        {
            self.send(response)
            self.intake.notePlayed(play, seen)
            self.finish(response.ending ?? .complete)
            return
        }
        var request = bytes.withUnsafeBytes { self.intake.request($0, of: seen, client: self.client) }
        request.form = form()
        let exchange = Exchange(
            request,
            seen,
            verdict,
            hasBody: hasBody,
            judge: self.intake.judge,
            stream: self,
            deck: self.connection.deck,
            loop: self.connection.loop
        )
        self.exchange = exchange
        exchange.begin(verdict)
        self.deliver()
    }

    private func refuse(_ problem: MalformedMessage) {
        self.connection.deck.log.notice("refused a request", metadata: ["reason": "\(problem.reason)"])
        self.connection.loop.metrics.count(.none, .refused, microseconds: nil)
        self.send(.refusal(problem))
        self.finish(.complete)
    }

    func received(_ bytes: ByteBuffer) {
        self.bodyTime = .now()
        guard !self.isFinished else {
            self.dropBody(bytes.readableBytes)
            return
        }
        self.input.append(bytes)
        self.deliver()
    }

    /// Reads on after the answer, up to a limit.
    private func dropBody(_ count: Int) {
        self.session.consume(count, of: self.id)
        self.excess += count
        if self.excess > Self.excessLimit { self.session.reset(self.id, code: .noError) }
    }

    func received(trailers head: HTTP2Head) {
        self.trailers = head.fields
        self.deliver()
    }

    func receivedEnd() {
        guard self.trailers == nil else { return }
        self.trailers = []
        self.deliver()
    }

    /// Passes the part of the body to the exchange that it accepts. The rest holds back the window.
    private func deliver() {
        guard !self.isDelivering else { return }
        self.isDelivering = true
        defer { self.isDelivering = false }
        while let exchange = self.exchange, exchange.canTakeBody, !exchange.isHeld {
            if let bytes = self.input.popFirst() {
                self.session.consume(bytes.readableBytes, of: self.id)
                exchange.takeBody(bytes)
            } else if let trailers = self.trailers, !self.hasDeliveredEnd {
                self.hasDeliveredEnd = true
                exchange.endBody(trailers: trailers)
            } else {
                if self.trailers == nil { exchange.clientPaused() }
                break
            }
        }
    }

    /// True while more of the body is to come.
    var awaitsBody: Bool { self.trailers == nil }

    /// Ends a request of whose body nothing has come since `limit`, though it could have.
    func refuseBody(silentSince limit: NIODeadline) {
        guard self.awaitsBody, self.input.isEmpty, self.bodyTime < limit else { return }
        guard !self.isFinished else {
            self.session.reset(self.id, code: .noError)
            return
        }
        // A call of gRPC may be silent while its answers come.
        guard let exchange = self.exchange, !exchange.isHeld, !exchange.answersEarly,
            !(exchange.forwarded?.isAnswering ?? false)
        else {
            return
        }
        exchange.refuseRest(MalformedMessage("the body of the request did not go on in time", status: 408))
    }

    // MARK: Connection

    func becameWritable() {
        self.exchange?.clientBecameWritable()
    }

    func clientFinishedSending() {
        self.exchange?.clientFinishedSending()
    }

    func hurry() {
        if self.isFinished, self.awaitsBody {
            self.session.reset(self.id, code: .noError)
        } else {
            self.exchange?.hurry()
        }
    }

    /// The client is gone.
    ///
    /// - Parameter isReset: true if it has reset the stream alone.
    func cancel(isReset: Bool = false) {
        let waiting = self.input.reduce(0) { $0 + $1.readableBytes }
        self.input.removeAll()
        if waiting > 0 { self.session.consume(waiting) }
        self.isFinished = true
        self.exchange?.cancel(isReset: isReset)
        self.exchange = nil
    }
}

// MARK: - Answer

extension HTTP2ClientStream: ClientStream {
    var isWritable: Bool { self.session.isWritable(self.id) && self.connection.context != nil }
    var hasFinishedSending: Bool { self.connection.inputIsClosed }

    func resumeReading() {
        self.deliver()
        // Consumed bytes make room in the window.
        self.connection.pumpSoon()
    }

    // MARK: Part by part

    func sendContinue() {
        self.session.inform(on: self.id, status: 100, [])
        self.flush()
    }

    func sendInterim(_ head: ResponseHead) {
        self.session.inform(on: self.id, status: head.status, head.fields.filter { !HopByHop.isOfConnection($0) })
    }

    @discardableResult
    func sendHead(_ head: ResponseHead, end: BodyEnd) -> [HeaderField] {
        let fields = head.fields.filter { !HopByHop.isOfConnection($0) }
        let isBodiless = self.client.isHead || !ResponseHead.allowsBody(status: head.status)
        if isBodiless {
            self.respond(status: head.status, fields, endsStream: true)
        } else {
            self.heldHead = ResponseHead(status: head.status, fields: fields)
        }
        return fields
    }

    /// Sends a head that waited for what comes behind it.
    private func sendHeldHead(endsStream: Bool) {
        guard let head = self.heldHead else { return }
        self.heldHead = nil
        self.respond(status: head.status, head.fields, endsStream: endsStream)
    }

    private func respond(status: Int, _ fields: [HeaderField], endsStream: Bool) {
        self.hasSentHead = true
        self.hasSentEnd = endsStream
        self.session.respond(on: self.id, HTTP2Fields(status: status, fields), endsStream: endsStream)
    }

    func sendBody(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        self.sendHeldHead(endsStream: false)
        self.session.send(bytes, on: self.id)
    }

    func sendEnd(trailers: [HeaderField]) {
        let trailers = TrailerFields.sendable(trailers)
        self.sendHeldHead(endsStream: trailers.isEmpty)
        guard !self.hasSentEnd else { return }
        self.hasSentEnd = true
        self.session.end(self.id, trailers: trailers)
    }

    // MARK: Whole

    func send(_ response: PlayableResponse) {
        self.announce(response)
        self.hasSentHead = true
        let body = response.body
        guard response.isComplete else {
            self.session.respond(on: self.id, response.http2Head, endsStream: false)
            if body.readableBytes > 0 { self.session.send(body, on: self.id) }
            return
        }
        self.hasSentEnd = true
        if body.readableBytes == 0, response.trailers.isEmpty {
            self.session.respond(on: self.id, response.http2Head, endsStream: true)
        } else {
            self.session.respond(on: self.id, response.http2Head, body: body, trailers: response.trailers)
        }
    }

    func sendHead(of response: PlayableResponse) {
        self.announce(response)
        self.hasSentHead = true
        self.session.respond(on: self.id, response.http2Head, endsStream: false)
        self.flush()
    }

    /// Sends what goes in front of a response's head.
    private func announce(_ response: PlayableResponse) {
        if case .goAway(let code) = response.ending { self.session.goAway(code) }
        for head in response.interim { self.sendInterim(head) }
    }

    func sendBody(_ bytes: ByteBuffer, of response: PlayableResponse, written: EventLoopPromise<Void>) {
        self.session.send(bytes, on: self.id, written: written)
        self.flush()
    }

    func sendEnd(of response: PlayableResponse) {
        guard !self.hasSentEnd, response.isComplete else { return }
        self.hasSentEnd = true
        self.session.end(self.id, trailers: response.trailers)
    }

    func send(_ answer: LocalResponse) {
        let answer = self.framing.map { answer.forCall($0) } ?? answer
        let hasBody = !self.client.isHead && !answer.body.isEmpty
        self.respond(status: answer.status, answer.fields, endsStream: !hasBody)
        guard hasBody else { return }
        self.session.send(ByteBuffer(bytes: answer.body), on: self.id)
        self.hasSentEnd = true
        self.session.end(self.id)
    }

    func sendGarbage() {
        // Bytes that are not HTTP/2 would end every other exchange of the connection; ``finish(_:)`` resets this one.
    }

    // MARK: Ends

    func finish(_ ending: StreamEnding) {
        self.exchange = nil
        self.isFinished = true
        self.sendHeldHead(endsStream: false)
        switch ending {
        case .complete where self.hasSentEnd, .completeAndClosed where self.hasSentEnd, .goAway where self.hasSentEnd:
            let waiting = self.input.reduce(0) { $0 + $1.readableBytes }
            self.input.removeAll()
            if waiting > 0 { self.dropBody(waiting) }
        case .complete, .completeAndClosed, .goAway:
            self.session.reset(self.id, code: .cancel)
        case .cut(let code), .streamReset(let code):
            self.session.reset(self.id, code: code)
        case .refused(let code, let last):
            let before = max(0, self.id - 2)
            self.session.goAway(code, lastStream: min(last.map { Int32(clamping: $0) } ?? before, before))
        case .garbage:
            self.connection.breakProtocol()
        case .reset:
            self.resetConnection()
        }
    }

    /// Resets the connection, with all other requests on it, once the client has what was sent.
    private func resetConnection() {
        guard self.hasSentHead, !self.hasSentEnd else { return self.connection.reset() }
        let written = self.connection.loop.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.connection.reset() }
        self.session.send(ByteBuffer(), on: self.id, written: written)
    }

    /// HTTP/2 has no upgrade (RFC 9113 section 8.6), so no exchange calls this.
    func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer {
        self.finish(.cut)
        return peer
    }

    func goOn() {
        self.deliver()
        self.connection.pumpSoon()
    }

    func flush() {
        self.sendHeldHead(endsStream: false)
        self.connection.pumpSoon()
    }

    func closeNow() {
        let exchange = self.exchange
        self.exchange = nil
        self.isFinished = true
        exchange?.cancel()
        self.session.abandon(self.id, code: .cancel)
        self.connection.pump()
    }
}

extension HTTP2Head {
    /// Returns the head of a request in the form of HTTP/1.1, which all other code expects: with Host for `:authority`,
    /// and with chunks if the body's length is not given. Cookie fields are joined into one (RFC 9113 section 8.2.3).
    ///
    /// - Throws: ``MalformedMessage`` for a CONNECT, and for two hosts that differ.
    fileprivate func asHTTP1(isProxy: Bool, hasBody: Bool) throws(MalformedMessage) -> [UInt8] {
        guard let method = self.value(of: .method), let path = self.value(of: .path),
            !method.elementsEqual("CONNECT".utf8)
        else { throw MalformedMessage("CONNECT over HTTP/2 is not supported", status: 501) }
        let host = self.value(of: "host")
        guard let authority = self.value(of: .authority) ?? host else {
            throw MalformedMessage("the request names no host")
        }
        guard host?.elementsEqual(authority) ?? true else {
            throw MalformedMessage("the field Host differs from :authority")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.lines.count + 128)
        bytes += method
        bytes.append(ASCII.space)
        if isProxy {
            bytes += self.value(of: .scheme) ?? Array("http".utf8)[...]
            bytes += Array("://".utf8)
            bytes += authority
        }
        // RFC 9112 section 3.2.4: the whole server has no path in the absolute form.
        if !path.elementsEqual(CollectionOfOne(UInt8(ascii: "*"))) || !isProxy { bytes += path }
        bytes += Array(" HTTP/1.1\r\n".utf8)
        if host == nil {
            bytes += Array("Host: ".utf8)
            bytes += authority
            bytes += Array("\r\n".utf8)
        }
        bytes += self.linesWithWholeCookies
        if hasBody, self.value(of: "content-length") == nil { bytes += Array("Transfer-Encoding: chunked\r\n".utf8) }
        bytes += Array("\r\n".utf8)
        return bytes
    }
}

@available(*, unavailable)
extension HTTP2ClientStream: Sendable {}
