import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// From the head of a request to the decision about it.
extension ClientConnection {
    /// What the head of a request leads to.
    enum Opening {
        case incomplete
        case malformed(MalformedMessage)
        case connect(Origin, Session?)
        /// A tunnel that is not intercepted.
        case passThrough(Origin, Session, HostRules.Reason)
        /// An answer of Tapedeck's own, and of no session.
        case answer(OwnAnswer)
        /// The same, and the end of the connection.
        case turnAway(OwnAnswer)
        case decided(Decision, SeenRequest)
        case needsBody(SeenRequest)
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
                return self.open(bytes, length: end)
            }
        }
        if case .incomplete = opening { return false }
        self.headCame()
        if let host = self.silentHost {
            self.silentHost = nil
            self.deck.untrusting.noteAsked(host)
        }
        switch opening {
        case .incomplete:
            return false
        case .malformed(let problem):
            self.refuse(problem)
        case .connect(let origin, let session):
            self.input.moveReaderIndex(forwardBy: length)
            self.acceptTunnel(to: origin, of: session)
        case .passThrough(let origin, let session, let reason):
            self.input.moveReaderIndex(forwardBy: length)
            self.passTunnel(to: origin, of: session, reason)
        case .answer(let answer):
            self.input.moveReaderIndex(forwardBy: length)
            self.give(answer)
        case .turnAway(let answer):
            self.answer(answer, for: ClientAbilities(isHead: self.isHead, keepsAlive: false))
        case .decided(.play(let play), let seen) where !self.scanner.hasBody:
            self.input.moveReaderIndex(forwardBy: length)
            self.play(play, seen)
        case .decided(let decision, let seen):
            input.moveReaderIndex(forwardBy: length)
            self.begin(decision, seen, head: self.input, rest: input)
        case .needsBody(let seen):
            input.moveReaderIndex(forwardBy: length)
            self.collect(seen, head: self.input, rest: input)
        }
        return true
    }

    /// The request's own part of what the response's bytes depend on.
    var abilities: ClientAbilities {
        ClientAbilities(
            isHead: self.isHead,
            minorVersion: self.scanner.minorVersion,
            keepsAlive: self.scanner.isPersistent && self.takesMoreRequests,
            codings: self.scanner.fields.acceptedCodings
        )
    }

    private func open(_ bytes: UnsafeRawBufferPointer, length: Int) -> Opening {
        self.isHead = self.scanner.isMethod("HEAD", bytes)
        if let opening = self.excessOpening { return opening }
        if self.scanner.isMethod("CONNECT", bytes) {
            return self.openTunnel(bytes)
        }
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        let path: Int
        self.isBaseURL = false
        var pathKey: [UInt8]?
        do {
            if let route = self.route.transparent {
                switch try self.resolveTransparent(route, bytes, &pathKey) {
                case .path(let found): path = found
                case .refused(let answer):
                    self.loop.metrics.count(.none, .refused, microseconds: nil)
                    return .answer(answer)
                }
            } else {
                guard let found = try self.resolveOrigin(target, &pathKey) else {
                    return .malformed(self.targetProblem(target))
                }
                path = found
            }
        } catch {
            return .malformed(error)
        }
        self.pathStart = path
        if let opening = self.pageOpening(bytes, target) { return opening }
        if self.origins.isLocalSite { return .answer(self.localAnswer(bytes)) }
        let session: Session
        switch self.routing.session(for: self.scanner.fields, bytes, way: self.way(target), pathKey: pathKey) {
        case .success(let found): session = found
        case .failure(let refusal):
            self.loop.metrics.count(.none, .refused, microseconds: nil)
            return .answer(refusal.answer)
        }
        if let opening = self.defaultSessionOpening(session) ?? self.connectionOpening(session) { return opening }
        let start = NIODeadline.now()
        session.touch(at: start)
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        if let opening = self.requestOpening(session, head) { return opening }
        var seen = SeenRequest(
            session: session,
            request: JournalRequest(
                head: Array(bytes[..<length]),
                origin: self.origins.origin ?? Self.noOrigin,
                pathStart: path,
                isUnnamed: self.routing.isUnnamed
            ),
            start: start,
            time: .now
        )
        if let opening = self.openingByHost(&seen) { return opening }
        let method = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.method])
        self.key.begin(method: method, origin: self.origins.canonical)
        self.key.append(target: UnsafeRawBufferPointer(rebasing: target[path...]))
        guard self.scanner.hasBody else {
            let decision = session.answer(self.key, body: .empty, passesUnlessOnTape: seen.passing != nil) {
                self.scanner.fields.fields(bytes)
            }
            return .decided(decision, seen)
        }
        let decision = session.answerBeforeBody(
            self.key,
            fields: self.scanner.fields.fields(bytes),
            passesUnlessOnTape: seen.passing != nil
        )
        return decision.map { .decided($0, seen) } ?? .needsBody(seen)
    }

    /// In place of the origin of a request whose own is not known, which none is that gets so far.
    static let noOrigin = Origin(scheme: .http, host: "-")

    private func way(_ target: UnsafeRawBufferPointer) -> SessionRouting.Way {
        if self.route.isTunnel { return .tunnel }
        if self.route.transparent != nil { return .reverse }
        return Self.isOriginForm(target) ? .reverse : .proxy
    }

    private func localAnswer(_ bytes: UnsafeRawBufferPointer) -> OwnAnswer {
        let line = self.line(bytes)
        let pages = self.deck.configuration.localSite(self.ownURL)
        return LocalSite.answer(line.url.target, method: line.method, pages: pages)
    }

    /// The proxy as this client knows it.
    private var ownURL: String {
        guard let address = self.context?.channel.localAddress, let host = address.ipAddress,
            let port = self.doorway.transparent?.proxyPort ?? address.port
        else { return "" }
        return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }

    /// RFC 9112 sections 3.2.1 and 3.2.4.
    static func isOriginForm(_ target: UnsafeRawBufferPointer) -> Bool {
        target.first == ASCII.slash || target.count == 1 && target.first == ASCII.asterisk
    }

    /// Where the path begins in `target`, once ``origins`` knows whose it is.
    ///
    /// - Parameter pathKey: is set to the key of a session that the path names.
    private func resolveOrigin(
        _ target: UnsafeRawBufferPointer,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> Int? {
        if Self.isOriginForm(target) {
            switch self.route {
            // A transparent one has its own way, by Host.
            case .tunnel, .transparent: return 0
            case .proxy:
                if BaseURLTarget.isNamed(by: target) { return try self.resolveBaseURL(target, from: 0, &pathKey) }
                guard let origin = self.doorway.reverseOrigin else { return nil }
                if self.origins.origin != origin {
                    self.origins = OriginCache()
                    self.origins.set(origin)
                }
                return 0
            }
        }
        guard case .tunnel(let origin) = self.route else {
            let path = self.origins.resolve(target)
            if let path, let named = self.origins.origin, BaseURLTarget.isNamed(by: target, from: path),
                self.deck.own.isNamed(by: named)
            {
                // As below.
                return try self.resolveBaseURL(target, from: path, &pathKey)
            }
            // A client that has both the deck's base URL and its proxy setting asks the proxy for the base URL.
            if let reverse = self.doorway.reverseOrigin, let named = self.origins.origin,
                named != reverse, self.deck.own.isNamed(by: named)
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

    func resolveBaseURL(
        _ target: UnsafeRawBufferPointer,
        from start: Int,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> Int {
        let base = try BaseURLTarget(target, from: start)
        // What was resolved last is remembered by its bytes, which this path is not a part of.
        self.origins = OriginCache()
        self.origins.set(base.origin)
        self.isBaseURL = true
        pathKey = base.key
        return base.pathStart
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
        let origin = self.origins.origin ?? Self.noOrigin
        return self.scanner.line(bytes, origin: origin, pathStart: self.pathStart)
    }

    /// Notes the request whose head stands at the front of `head`, and goes on behind it with `rest`.
    private func admit(
        _ seen: SeenRequest,
        head: ByteBuffer,
        rest: ByteBuffer
    ) -> (request: ClientRequest, fields: [HeaderField]) {
        let admitted = head.withUnsafeReadableBytes { bytes in
            (
                request: ClientRequest(
                    session: seen.session,
                    client: self.abilities,
                    line: self.line(bytes),
                    wantsUpgrade: self.scanner.fields.hasUpgrade && !self.scanner.hasBody,
                    expectsContinue: self.scanner.fields.expectsContinue && self.scanner.minorVersion == 1,
                    passing: seen.passing
                ),
                fields: self.scanner.fields.fields(bytes)
            )
        }
        self.request = admitted.request
        self.input = rest
        self.expectBody()
        return admitted
    }

    private func expectBody() {
        self.decoder =
            self.scanner.fields.isChunked ? .chunked : .length(self.scanner.fields.contentLength ?? 0)
        self.phase = .body
    }

    /// Gives an answer of Tapedeck's own to the request whose head was read last, once its body has been read.
    private func give(_ answer: OwnAnswer) {
        var client = self.abilities
        guard self.scanner.hasBody, self.scanner.fields.expectsContinue, client.minorVersion == 1 else {
            self.expectBody()
            self.bodySink = .answer(answer, client)
            return
        }
        // RFC 9110 section 10.1.1: who is not asked for its body waits for the answer. It may send it all the same.
        client.keepsAlive = false
        self.answer(answer, for: client)
    }

    private func begin(_ decision: Decision, _ seen: SeenRequest, head: ByteBuffer, rest: ByteBuffer) {
        let (request, fields) = self.admit(seen, head: head, rest: rest)
        self.trace = ExchangeTrace(
            seen,
            JournalEntry.Outcome(decision),
            hasBody: self.scanner.hasBody,
            metrics: self.loop.metrics
        )
        if case .forward(let records, let delay) = decision {
            self.forward(request, fields: fields, records: records, delay: delay)
            return
        }
        if case .hold(let hold) = decision {
            let limit = self.deck.configuration.matchedBodyLimit
            self.bodySink = .hold(hold, BodyCollector(fields: fields, limit: limit))
            self.continueIfExpected(request)
            return
        }
        self.bodySink = .discard
        self.pendingDecision = decision
        self.continueIfExpected(request)
    }

    private func collect(_ seen: SeenRequest, head: ByteBuffer, rest: ByteBuffer) {
        let (request, fields) = self.admit(seen, head: head, rest: rest)
        self.trace = ExchangeTrace(seen, .pending, hasBody: true, metrics: self.loop.metrics)
        let limit = self.deck.configuration.matchedBodyLimit
        self.bodySink = .collect(BodyCollector(fields: fields, limit: limit))
        self.continueIfExpected(request)
    }

    /// RFC 9110 section 10.1.1: who wants to read the body says so first.
    private func continueIfExpected(_ request: ClientRequest) {
        guard request.expectsContinue, !self.decoder.endsNow, let context = self.context else { return }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    }

    func forward(_ request: ClientRequest, fields: [HeaderField], records: Bool, delay: Int) {
        let origin = request.line.url.origin
        guard !self.deck.own.isNamed(by: origin) else {
            self.refuseOwnAddress(request)
            return
        }
        if let pattern = self.blockingPattern(origin) {
            self.refuseBlocked(request, pattern: pattern)
            return
        }
        if !records, let reason = request.passing, let refusal = self.localRefusal(origin, reason) {
            self.refuseUnread(request, refusal)
            return
        }
        var fields = fields
        if MaxForwards.applies(to: request.line.method), let left = MaxForwards.decrement(&fields), left < 0 {
            self.answerAsLastHop(request, fields)
            return
        }
        let head = RequestHead(
            method: request.line.method,
            origin: origin,
            // RFC 9112 section 3.2.4: the asterisk-form has no path.
            target: request.line.method == "OPTIONS" && request.line.url.target == "/*" ? "*" : request.line.url.target,
            fields: BaseURLTarget.withoutKeys(fields)
        )
        let recorder = records ? request.session.recorder : nil
        // It ended since the request was routed, and its recording with it: the origin's answer would be on no tape.
        if records, recorder == nil, request.session.isEnded {
            let refusal = SessionRefusal.ended(request.session.id)
            self.trace?.outcome(.refused(reason: refusal.message))
            var client = request.client
            client.keepsAlive = client.keepsAlive && self.decoder.endsNow
            self.answer(refusal.answer, for: client)
            return
        }
        let exchange = ForwardedExchange(client: self, head: head, request: request, records: records, recorder)
        self.exchange = exchange
        self.bodySink = .forward(exchange)
        exchange.start(after: self.loop.isStopping ? 0 : delay)
    }

    /// What is for the deck itself goes nowhere.
    func refuseOwnAddress(_ request: ClientRequest) {
        guard self.route.transparent == nil else {
            self.refuseLoop(request)
            return
        }
        let problem = "the request is for Tapedeck's own address and would go round for ever"
        request.session.noteForwarded(ForwardedRequest(request: request.line, notRecorded: problem))
        self.refuse(MalformedMessage(problem, status: 508))
    }
}
