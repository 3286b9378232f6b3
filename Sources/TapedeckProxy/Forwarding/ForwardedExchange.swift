import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// One exchange with an origin on behalf of a client: passes the request up and the response down as they come, and
/// lets the recording see both.
///
///     connecting ──▶ sending ──▶ answering ──▶ done
///          └──────────────┴──── failed ────────▶ done
///
/// Whoever is slower sets the pace: the origin is read from only while the client (and the recording) can take more,
/// the client only while the origin can. The last byte of a response goes out only when the recording has the
/// exchange, so that whatever a client has seen complete is on tape even if Tapedeck is killed in the next instant.
final class ForwardedExchange {
    enum Phase {
        case connecting
        case sending
        case answering
        case done
    }

    /// How much of a body is kept while the connection is being made.
    private static let pendingLimit = 256 << 10
    /// RFC 9110 section 9.2.2.
    private static let idempotentMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    unowned let client: ClientConnection
    let head: RequestHead
    let request: ClientRequest
    var recording: ExchangeRecording?
    /// Why it is not recorded, where the rules leave it out.
    private var leftOut: RecordingFilter.Reason?
    /// How much of the response's body has come.
    private var receivedBody = 0
    let trace: ExchangeTrace?
    /// Why nothing is recorded although it should be.
    private let missedRecording: String?
    var phase: Phase = .connecting
    private var upstream: UpstreamConnection?
    private var framing: ResponseFraming = .none
    private var closesClient = false
    /// True if it is counted as passed through.
    var isPassed = false
    /// Body bytes that wait for the connection.
    private var pending: [ByteBuffer] = []
    private var pendingBytes = 0
    private var sentBody = false
    /// The bytes that complete the response, until the recording has it.
    private var held: ByteBuffer?
    var requestEnd: [HeaderField]?
    private var delay: DelayedStart?
    /// When all of the request had gone to the origin, or, before that, its head.
    private var sentTime = NIODeadline.now()

    /// - Parameters:
    ///   - records: whether it is to be recorded.
    ///   - recorder: takes it; `nil` where it is not to be recorded, or cannot be any more.
    init(client: ClientConnection, head: RequestHead, request: ClientRequest, records: Bool, _ recorder: Recorder?) {
        self.client = client
        self.head = head
        self.request = request
        self.trace = client.trace
        self.recording = recorder?.begin(head, on: client.loop.eventLoop)
        self.missedRecording =
            records && self.recording == nil ? recorder?.failure ?? Recorder.stoppedEarly : nil
        self.recording?.onCapacity = { [weak self] in self?.recordingCaughtUp() }
    }

    var origin: Origin { self.head.origin }
    /// The request as logs and summaries show it.
    private var shownLine: RequestLine { self.request.session.texts.line(self.request.line) }

    private var isChunkedRequest: Bool { self.head.fields.contains(named: "transfer-encoding") }
    private var upgrades: Bool {
        self.request.wantsUpgrade && self.head.fields.tokens(named: "connection").contains("upgrade")
    }

    // MARK: Request

    /// Starts in so many milliseconds.
    func start(after delay: Int) {
        self.delay = DelayedStart(after: delay, on: self.client.loop.eventLoop) { self.start() }
    }

    /// Whether it is still to start.
    var isDelayed: Bool { self.delay?.isWaiting ?? false }

    /// Starts now if it was to start later.
    func hurry() {
        self.delay?.hurry()
    }

    private func start(fresh: Bool = false) {
        let lease = self.client.loop.upstreams.lease(
            self.head.origin,
            for: self.request.session,
            fresh: fresh || self.upgrades,
            tunnelled: self.upgrades,
            local: self.request.isLocal
        )
        lease.assumeIsolated().whenComplete { result in
            guard self.phase == .connecting else {
                // The client went away meanwhile.
                if case .success(let upstream) = result { upstream.value.close() }
                return
            }
            switch result {
            case .success(let upstream):
                self.send(on: upstream.value)
            case .failure(is OwnAddressReached):
                self.refuseOwnAddress()
            case .failure(let refusal as TargetRefusal):
                self.refuseTarget(refusal)
            case .failure(let error):
                self.fail(UpstreamFailure(connecting: error, host: self.head.origin.host), onReused: false)
            }
        }
    }

    private func send(on upstream: UpstreamConnection) {
        self.upstream = upstream
        self.phase = .sending
        self.notePassed()
        self.sentTime = .now()
        upstream.send(self.wireHead(), isHeadRequest: self.request.client.isHead, for: self)
        for piece in self.pending { self.pass(piece, to: upstream) }
        self.pending = []
        self.pendingBytes = 0
        if let trailers = self.requestEnd { self.passEnd(trailers, to: upstream) }
        upstream.flush()
        self.client.resumeReading()
    }

    private func wireHead() -> ByteBuffer {
        let fields = HopByHop.request(
            self.head.fields,
            host: self.client.route.isTunnel ? nil : self.head.origin.authority,
            narrowsCodings: self.recording != nil,
            upgrades: self.upgrades
        )
        var bytes: [UInt8] = []
        bytes.append(contentsOf: "\(self.head.method) ".utf8)
        let proxy = self.upstream?.route.plainProxy
        ByteText.append(proxy == nil ? self.head.target : self.head.absoluteTarget, to: &bytes)
        bytes.append(contentsOf: " HTTP/1.1\r\n".utf8)
        WireHead.append(fields, to: &bytes)
        if let field = proxy?.authorizationField { WireHead.append([field], to: &bytes) }
        bytes.append(contentsOf: "\r\n".utf8)
        return ByteBuffer(bytes: bytes)
    }

    /// Whether the client may send more of the body.
    var canTakeBody: Bool {
        let hasRoom = self.upstream.map(\.isWritable) ?? (self.pendingBytes < Self.pendingLimit)
        return hasRoom && !(self.recording?.isBehind ?? false)
    }

    func sendBody(_ bytes: ByteBuffer) {
        self.recording?.requestBody(bytes)
        if let upstream = self.upstream {
            self.pass(bytes, to: upstream)
            upstream.flush()
        } else {
            self.pending.append(bytes)
            self.pendingBytes += bytes.readableBytes
        }
    }

    func endBody(trailers: [HeaderField]) {
        self.requestEnd = trailers
        if let upstream = self.upstream { self.passEnd(trailers, to: upstream) }
    }

    private func pass(_ bytes: ByteBuffer, to upstream: UpstreamConnection) {
        self.sentBody = true
        guard self.isChunkedRequest else {
            upstream.sendBody(bytes)
            return
        }
        var chunk = ByteBuffer()
        WireHead.writeChunk(bytes, to: &chunk)
        upstream.sendBody(chunk)
    }

    private func passEnd(_ trailers: [HeaderField], to upstream: UpstreamConnection) {
        if self.isChunkedRequest {
            var last = ByteBuffer()
            WireHead.writeLastChunk(trailers: trailers, to: &last)
            upstream.sendBody(last)
        }
        upstream.endRequest()
        self.sentTime = .now()
    }

    func upstreamBecameWritable() {
        self.client.resumeReading()
    }

    private func recordingCaughtUp() {
        self.client.resumeReading()
        self.clientBecameWritable()
    }

    // MARK: Response

    /// Whether the response has begun.
    var isAnswering: Bool { self.phase == .answering }

    /// Whether an event stream is being recorded, of which there are whole events by now.
    var recordsEvents: Bool { self.phase == .answering && self.recording?.hasEvents ?? false }

    /// Whether the client and the recording can take more of the response.
    var canTakeResponse: Bool {
        self.client.isWritable && !(self.recording?.isBehind ?? false)
    }

    func clientBecameWritable() {
        if self.canTakeResponse { self.upstream?.resumeReading() }
    }

    func flushClient() {
        self.client.flush()
    }

    func receiveInterim(_ head: ResponseHead) {
        // RFC 9110 section 15.2: an HTTP/1.0 client is sent no 1xx.
        guard self.request.client.minorVersion == 1 else { return }
        let fields = HopByHop.response(head.fields)
        if head.status != 100 {
            self.recording?.interim(status: head.status, reason: head.reason, fields: fields)
        }
        var buffer = ByteBuffer()
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: fields,
            closes: false,
            client: ClientAbilities(),
            to: &buffer
        )
        self.client.write(buffer)
        self.client.flush()
    }

    /// - Parameters:
    ///   - endsAtClose: the end of the connection ends the body.
    ///   - hasBody: anything is still to come.
    func receiveHead(_ head: ResponseHead, endsAtClose: Bool, hasBody: Bool) {
        self.phase = .answering
        var fields = HopByHop.response(head.fields)
        if !ResponseHead.allowsBody(status: head.status), head.status != 304 {
            // RFC 9112 section 6.1: no transfer coding where no body can be, or a client would wait for one.
            fields.removeAll { $0.isNamed("transfer-encoding") }
        }
        let length = hasBody ? head.fields.first(named: "content-length").flatMap { Int($0) } : nil
        self.leaveOut(self.filter.reason(status: head.status, length: length))
        self.recording?.head(status: head.status, reason: head.reason, fields: fields, endsAtClose: endsAtClose)
        self.recording?.latency = Int((NIODeadline.now() - self.sentTime).nanoseconds / 1_000_000)
        let client = self.request.client
        self.closesClient = !client.keepsAlive || self.requestEnd == nil
        if client.isHead || !ResponseHead.allowsBody(status: head.status) {
            self.framing = .none
        } else if fields.contains(named: "transfer-encoding") {
            // RFC 9112 section 6.1: no chunks for a client that may not know them.
            self.framing = client.minorVersion == 1 ? .chunked : .untilClose
            if self.framing == .untilClose { fields.removeAll { $0.isNamed("transfer-encoding") } }
        } else if endsAtClose {
            self.framing = .untilClose
        } else {
            self.framing = .length(0)
        }
        if self.framing == .untilClose { self.closesClient = true }
        var buffer = ByteBuffer()
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: fields,
            closes: self.closesClient,
            client: client,
            to: &buffer
        )
        self.trace?.head(status: head.status, phrase: head.reason, fields: fields)
        self.write(buffer, completesResponse: !hasBody)
    }

    func receiveBody(_ bytes: ByteBuffer, isLast: Bool) {
        self.receivedBody += bytes.readableBytes
        self.leaveOut(self.filter.reason(size: self.receivedBody))
        self.recording?.body(bytes)
        self.trace?.body(bytes)
        guard self.framing == .chunked else {
            self.write(bytes, completesResponse: isLast)
            return
        }
        var chunk = ByteBuffer()
        WireHead.writeChunk(bytes, to: &chunk)
        self.write(chunk, completesResponse: false)
    }

    /// The client must not see a response complete before the recording has it, so what completes it is held back.
    private func write(_ bytes: ByteBuffer, completesResponse: Bool) {
        if completesResponse, self.recording != nil {
            self.held = bytes
        } else {
            self.client.write(bytes)
        }
    }

    func receiveEnd(_ trailers: [HeaderField]) {
        self.upstream = nil
        guard let recording = self.recording else {
            self.finish(trailers: trailers, notRecorded: nil)
            return
        }
        recording.finish(trailers: trailers) { notRecorded in
            guard self.phase != .done else {
                // The client has gone meanwhile, which takes nothing back.
                self.trace?.recorded(unless: notRecorded)
                return
            }
            self.finish(trailers: trailers, notRecorded: notRecorded)
        }
    }

    private func finish(trailers: [HeaderField], notRecorded: String?) {
        if let held = self.held { self.client.write(held) }
        if self.framing == .chunked {
            var last = ByteBuffer()
            WireHead.writeLastChunk(trailers: trailers, to: &last)
            self.client.write(last)
        }
        self.trace?.trailers(TrailerFields.sendable(trailers))
        self.note(notRecorded: notRecorded)
        self.end(self.closesClient ? .close : .keepAlive)
    }

    private var filter: RecordingFilter { self.client.deck.configuration.recording.filter }

    /// Takes the exchange out of the recording, where there is a reason to. The client gets its answer all the same.
    private func leaveOut(_ reason: RecordingFilter.Reason?) {
        guard let reason, let recording = self.recording else { return }
        recording.discard()
        self.recording = nil
        self.leftOut = reason
        // The client may have waited for a file that is not written any more.
        self.client.resumeReading()
        self.upstream?.resumeReading()
    }

    // MARK: Upgrade

    /// The origin switches protocols: from here on bytes are bytes, and nothing is recorded. Returns who takes them.
    func upgraded(_ head: ResponseHead) -> (any OpaquePeer)? {
        guard self.upgrades, let upstream = self.upstream else { return nil }
        self.phase = .done
        self.recording?.discard()
        var buffer = ByteBuffer()
        WireHead.write(
            status: head.status,
            reason: head.reason,
            fields: HopByHop.response(head.fields, upgrades: true),
            closes: false,
            client: ClientAbilities(),
            to: &buffer
        )
        self.client.write(buffer)
        self.client.flush()
        self.trace?.head(
            status: head.status,
            phrase: head.reason,
            fields: HopByHop.response(head.fields, upgrades: true)
        )
        let protocolName = head.fields.first(named: "upgrade") ?? "another protocol"
        self.note(notRecorded: "the connection was upgraded to \(protocolName), which is passed through untouched")
        self.trace?.end(.complete)
        self.client.trace = nil
        self.client.becomeOpaque(with: upstream)
        return self.client
    }

    // MARK: Failure

    /// The client is gone, or sends what cannot be understood.
    func cancel() {
        guard self.phase != .done else { return }
        let isAnswered = self.phase == .answering && self.requestEnd != nil
        self.phase = .done
        self.delay?.cancel()
        if isAnswered, let recording = self.recording, recording.finishEarly(completion: { self.note(notRecorded: $0) })
        {
            self.upstream?.close()
            self.upstream = nil
            return
        }
        self.recording?.discard()
        self.upstream?.close()
        self.upstream = nil
        let isFinishing = self.recording?.isFinishing ?? false
        let problem = isFinishing ? nil : "the client went away before the response was complete"
        self.request.session.noteForwarded(ForwardedRequest(request: self.shownLine, notRecorded: problem))
        // What is being finished tells of itself.
        if !isFinishing { self.tell(problem) }
    }

    /// - Parameter onReused: the connection had been used before and gave not a byte for this request, so the origin
    ///   probably closed it just then.
    func fail(_ failure: UpstreamFailure, onReused: Bool) {
        guard self.phase != .done else { return }
        self.upstream = nil
        // RFC 9112 section 9.3.1: only what is idempotent is sent again, and only what has no body that is gone.
        if onReused, self.phase == .sending, !self.sentBody, Self.idempotentMethods.contains(self.head.method) {
            self.phase = .connecting
            self.start(fresh: true)
            return
        }
        if self.refuseUnreachable() { return }
        self.notePassed()
        let isAnswering = self.phase == .answering
        // Once the head is out the client can only be shown a body that ends too early.
        let failure =
            isAnswering && failure.fault != .connectionReset
            ? UpstreamFailure(fault: .truncatedBody, detail: failure.detail) : failure
        let shown = self.request.session.texts.failure(failure)
        self.client.deck.log.notice(
            "an origin gave no complete answer",
            metadata: ["request": "\(self.shownLine)", "failure": "\(shown)"]
        )
        self.leaveOut(self.filter.reason(failedAndHasResponse: isAnswering))
        guard let recording = self.recording else {
            self.show(shown, notRecorded: nil)
            return
        }
        guard !failure.isOfProxy else {
            recording.discard()
            self.show(failure, notRecorded: "an upstream proxy gave no way to the origin")
            return
        }
        recording.fail(failure) { notRecorded in
            guard self.phase != .done else {
                self.trace?.recorded(unless: notRecorded)
                return
            }
            self.show(shown, notRecorded: notRecorded)
        }
    }

    private func show(_ failure: UpstreamFailure, notRecorded: String?) {
        let headIsOut = self.phase == .answering
        self.phase = .done
        if let held = self.held { self.client.write(held) }
        self.note(failure, notRecorded: notRecorded)
        let client = self.client
        client.exchange = nil
        // A body that is not complete leaves the connection in no state for another request.
        var abilities = self.request.client
        abilities.keepsAlive = abilities.keepsAlive && self.requestEnd != nil
        client.playFault(failure, isOnTape: false, for: abilities, headIsOut: headIsOut)
        client.process()
        client.flush()
    }

    private func note(_ failure: UpstreamFailure? = nil, notRecorded: String?) {
        if let leftOut = self.leftOut { self.request.session.noteLeftOut(self.request.line, leftOut) }
        self.request.session.noteForwarded(
            ForwardedRequest(request: self.shownLine, failure: failure, notRecorded: notRecorded)
        )
        self.tell(notRecorded)
    }

    /// Has the journal say whether the exchange is in the cassette, where it should be.
    private func tell(_ notRecorded: String?) {
        if let leftOut = self.leftOut {
            self.trace?.recorded(unless: leftOut.description)
        } else if let missed = self.missedRecording {
            self.trace?.recorded(unless: missed)
        } else if self.recording != nil {
            self.trace?.recorded(unless: notRecorded)
        }
    }

    private func end(_ ending: PlayableResponse.Ending) {
        self.phase = .done
        let client = self.client
        client.finishAnswer(ending)
        client.process()
        client.flush()
    }
}

@available(*, unavailable)
extension ForwardedExchange: Sendable {}
