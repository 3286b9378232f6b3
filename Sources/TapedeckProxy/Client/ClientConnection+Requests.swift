import NIOCore
import TapedeckCore
import TapedeckTLS

/// Who takes the body of a request.
enum BodySink {
    /// Nobody needs it; the answer is known and goes out when the body has ended.
    case discard
    /// The answer depends on it.
    case collect(BodyCollector)
    case forward(ForwardedExchange)
}

/// From the head of a request to the decision about it.
extension ClientConnection {
    /// What the head of a request leads to.
    private enum Opening {
        case incomplete
        case malformed(MalformedMessage)
        case connect(Origin)
        case decided(Decision)
        case needsBody
    }

    /// Returns whether a head was found.
    func parseHead() -> Bool {
        var input = self.input
        var length = 0
        let opening = input.withUnsafeReadableBytes { bytes -> Opening in
            switch self.scanner.scan(bytes) {
            case .incomplete: return .incomplete
            case .malformed(let problem): return .malformed(problem)
            case .complete(let end):
                length = end
                return self.open(bytes)
            }
        }
        switch opening {
        case .incomplete:
            return false
        case .malformed(let problem):
            self.refuse(problem)
        case .connect(let origin):
            self.input.moveReaderIndex(forwardBy: length)
            self.acceptTunnel(to: origin)
        case .decided(.play(let play)) where !self.scanner.hasBody:
            self.input.moveReaderIndex(forwardBy: length)
            self.play(play, for: self.abilities)
        case .decided(let decision):
            input.moveReaderIndex(forwardBy: length)
            self.begin(decision, head: self.input, rest: input)
        case .needsBody:
            input.moveReaderIndex(forwardBy: length)
            self.collect(head: self.input, rest: input)
        }
        return true
    }

    /// The request's own part of what the response's bytes depend on.
    var abilities: ClientAbilities {
        ClientAbilities(
            isHead: self.isHead,
            minorVersion: self.scanner.minorVersion,
            keepsAlive: self.scanner.isPersistent && self.takesMoreRequests,
            acceptsGzip: self.scanner.fields.acceptsGzip,
            acceptsDeflate: self.scanner.fields.acceptsDeflate
        )
    }

    private func open(_ bytes: UnsafeRawBufferPointer) -> Opening {
        self.isHead = self.scanner.isMethod("HEAD", bytes)
        if self.scanner.isMethod("CONNECT", bytes) {
            switch self.openTunnel(bytes) {
            case .malformed(let problem): return .malformed(problem)
            case .connect(let origin): return .connect(origin)
            }
        }
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        guard let path = self.resolveOrigin(target) else { return .malformed(self.targetProblem(target)) }
        self.pathStart = path
        let method = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.method])
        self.key.begin(method: method, origin: self.origins.canonical)
        self.key.append(target: UnsafeRawBufferPointer(rebasing: target[path...]))
        let session = self.session
        guard self.scanner.hasBody else {
            return .decided(session.answer(self.key, body: .empty) { self.scanner.fields.fields(bytes) })
        }
        let decision = session.answerBeforeBody(self.key, fields: self.scanner.fields.fields(bytes))
        return decision.map { .decided($0) } ?? .needsBody
    }

    /// Where the path begins in `target`, once ``origins`` knows whose it is.
    private func resolveOrigin(_ target: UnsafeRawBufferPointer) -> Int? {
        if target.first == ASCII.slash || target.count == 1 && target.first == ASCII.asterisk {
            switch self.route {
            case .tunnel: return 0
            case .proxy:
                guard let origin = self.deck.configuration.reverseOrigin else { return nil }
                if self.origins.origin != origin {
                    self.origins = OriginCache()
                    self.origins.set(origin)
                }
                return 0
            }
        }
        guard case .tunnel(let origin) = self.route else {
            let path = self.origins.resolve(target)
            // A client that has both the deck's base URL and its proxy setting asks the proxy for the base URL.
            if let reverse = self.deck.configuration.reverseOrigin, let named = self.origins.origin,
                named != reverse, self.deck.isOwn(named)
            {
                self.origins.set(reverse)
            }
            return path
        }
        // Inside a tunnel an absolute target may name the tunnel's own origin, and no other.
        var named = OriginCache()
        guard let path = named.resolve(target), named.origin == origin else { return nil }
        return path
    }

    private func targetProblem(_ target: UnsafeRawBufferPointer) -> MalformedMessage {
        if target.first == ASCII.slash {
            return MalformedMessage(
                "this is a proxy and the request names no origin; set it as the client's proxy, or start Tapedeck with "
                    + "--reverse ORIGIN to use it as a base URL"
            )
        }
        if self.route.isTunnel {
            return MalformedMessage("the request names another origin than its tunnel leads to", status: 421)
        }
        return MalformedMessage("the request target is no http or https URL")
    }

    /// Method and URL of the request whose head was read last.
    private func line(_ bytes: UnsafeRawBufferPointer) -> RequestLine {
        // Only a head whose origin is known gets here.
        let origin = self.origins.origin ?? Origin(scheme: .http, host: "-")
        return self.scanner.line(bytes, origin: origin, pathStart: self.pathStart)
    }

    /// Notes the request whose head stands at the front of `head`, and goes on behind it with `rest`.
    private func admit(head: ByteBuffer, rest: ByteBuffer) -> (request: ClientRequest, fields: [HeaderField]) {
        let admitted = head.withUnsafeReadableBytes { bytes in
            (
                request: ClientRequest(
                    client: self.abilities,
                    line: self.line(bytes),
                    wantsUpgrade: self.scanner.fields.hasUpgrade && !self.scanner.hasBody,
                    expectsContinue: self.scanner.fields.expectsContinue && self.scanner.minorVersion == 1
                ),
                fields: self.scanner.fields.fields(bytes)
            )
        }
        self.request = admitted.request
        self.input = rest
        self.decoder =
            self.scanner.fields.isChunked ? .chunked : .length(self.scanner.fields.contentLength ?? 0)
        self.phase = .body
        return admitted
    }

    private func begin(_ decision: Decision, head: ByteBuffer, rest: ByteBuffer) {
        let (request, fields) = self.admit(head: head, rest: rest)
        if case .forward(let records, let delay) = decision {
            self.forward(request, fields: fields, records: records, delay: delay)
            return
        }
        self.bodySink = .discard
        self.pendingDecision = decision
        self.continueIfExpected(request)
    }

    private func collect(head: ByteBuffer, rest: ByteBuffer) {
        let (request, fields) = self.admit(head: head, rest: rest)
        let limit = self.deck.configuration.matchedBodyLimit
        self.bodySink = .collect(BodyCollector(fields: fields, limit: limit))
        self.continueIfExpected(request)
    }

    /// RFC 9110 section 10.1.1: who wants to read the body says so first.
    private func continueIfExpected(_ request: ClientRequest) {
        guard request.expectsContinue, !self.decoder.endsNow, let context = self.context else { return }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    }

    private func forward(_ request: ClientRequest, fields: [HeaderField], records: Bool, delay: Int) {
        let origin = request.line.url.origin
        guard !self.deck.isOwn(origin) else {
            let problem = "the request is for Tapedeck's own address and would go round for ever"
            self.session.noteForwarded(ForwardedRequest(request: request.line, notRecorded: problem))
            self.refuse(MalformedMessage(problem, status: 508))
            return
        }
        let head = RequestHead(
            method: request.line.method,
            origin: origin,
            // RFC 9112 section 3.2.4: the asterisk-form has no path.
            target: request.line.method == "OPTIONS" && request.line.url.target == "/*" ? "*" : request.line.url.target,
            fields: fields
        )
        let exchange = ForwardedExchange(client: self, head: head, request: request, records: records)
        self.exchange = exchange
        self.bodySink = .forward(exchange)
        exchange.start(after: self.loop.isStopping ? 0 : delay)
    }

    // MARK: Body

    func takeBody(_ bytes: ByteBuffer) {
        switch self.bodySink {
        case .discard:
            break
        case .collect(let collector):
            collector.add(bytes)
            if collector.isOverLimit, self.session.mayDialOut {
                self.decide(collector, isComplete: false)
            }
        case .forward(let exchange):
            exchange.sendBody(bytes)
        }
    }

    func endBody(trailers: [HeaderField]) {
        switch self.bodySink {
        case .discard:
            guard let decision = self.pendingDecision, let request = self.request else { return }
            self.pendingDecision = nil
            self.carryOut(decision, for: request)
        case .collect(let collector):
            self.decide(collector, isComplete: true)
        case .forward(let exchange):
            exchange.endBody(trailers: trailers)
            self.leaveDelayedExchange()
        }
    }

    /// Decides with what is known of the body: all of it, or, in a mode that may have to pass it on, as much as
    /// memory should hold.
    private func decide(_ collector: BodyCollector, isComplete: Bool) {
        guard let request = self.request else { return }
        let body = isComplete ? collector.observed() : nil
        let decision = self.session.answer(self.key, body: body) { collector.fields }
        if case .forward(let records, let delay) = decision {
            self.forward(request, fields: collector.fields, records: records, delay: delay)
            guard let exchange = self.exchange else { return }
            for piece in collector.pieces { exchange.sendBody(piece) }
            if isComplete {
                exchange.endBody(trailers: [])
                self.leaveDelayedExchange()
            }
        } else if isComplete {
            self.carryOut(decision, for: request)
        } else {
            self.bodySink = .discard
            self.pendingDecision = decision
        }
    }

    private func carryOut(_ decision: Decision, for request: ClientRequest) {
        switch decision {
        case .play(let play):
            self.play(play, for: request.client)
        case .reject(let report, _):
            self.logUnmatched(report)
            self.answer(.unmatched(report), for: request.client)
        case .forward: break  // begun with the head
        }
    }
}
