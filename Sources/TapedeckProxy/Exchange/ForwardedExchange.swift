import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckProtobuf
import TapedeckSessions

/// The part of an ``Exchange`` that an origin answers: passes the request to the origin and the response to the client
/// as they arrive, and records both.
///
/// ``ForwardingState`` has its states. The slower side sets the pace: the origin is read only while the client (and the
/// recording) accept more, the client only while the origin does. The last part of a response is sent only when the
/// recording has the exchange, so that a response that a client has received completely is on tape even if Tapedeck is
/// killed right after.
final class ForwardedExchange {
    /// The part of a response that completes it, until the recording has the exchange.
    private enum LastPart {
        case head(ResponseHead, end: BodyEnd)
        case body(ByteBuffer)
    }

    /// The maximum size of a body that is kept while connecting.
    private static let pendingLimit = 256 << 10

    // Each holds the other until one of them has ended.
    private let exchange: Exchange
    private let head: RequestHead
    // As in ``ClientConnection``: its methods call nothing of this class, on one event loop.
    @exclusivity(unchecked) private var state = ForwardingState()
    private var recording: ExchangeRecording?
    /// The reason why the rules leave it out of the recording.
    private var leftOut: RecordingFilter.Reason?
    /// The number of received body bytes.
    private var receivedBody = 0
    /// True for a response whose rest is recorded if the client leaves.
    private var isWorthItsRest = false
    /// The bytes of a version of its resource that the response has; `nil` if that is unknown.
    private var part: ContentPart?
    /// The reason why nothing is recorded although it should be.
    private let missedRecording: String?
    private var upstream: (any OriginStream)?
    /// True if it is counted as passed through.
    private var isPassed = false
    /// Body bytes that wait for the connection.
    private var pending: [ByteBuffer] = []
    private var pendingBytes = 0
    /// Body bytes that are on their way to the origin, in case that they must be sent again.
    private var sent: [ByteBuffer] = []
    private var sentBytes = 0
    /// The number of body bytes of the request that have come.
    private var requestBytes = 0
    private var held: LastPart?
    /// The trailer fields of the request, once all of it has come.
    private var requestTrailers: [HeaderField]?
    private var delay: DelayedStart?
    /// When all of the request had gone to the origin, or, before that, its head.
    private var sentTime = NIODeadline.now()

    /// - Parameters:
    ///   - records: true if it is to be recorded.
    ///   - recorder: records it; `nil` if it is not to be recorded, or cannot be any more.
    init(_ exchange: Exchange, head: RequestHead, records: Bool, _ recorder: Recorder?) {
        self.exchange = exchange
        self.head = head
        self.recording = recorder?.begin(head, on: exchange.loop.eventLoop)
        self.missedRecording =
            records && self.recording == nil ? recorder?.failure ?? Recorder.stoppedEarly : nil
        self.recording?.onCapacity = { [weak self] in self?.recordingCaughtUp() }
    }

    private var request: ClientRequest { self.exchange.request }
    private var session: Session { self.exchange.session }
    private var trace: ExchangeTrace { self.exchange.trace }
    private var stream: any ClientStream { self.exchange.stream }

    private var upgrades: Bool {
        self.request.wantsUpgrade && self.head.fields.tokens(named: "connection").contains("upgrade")
    }

    /// The origin may choose among the versions that it would have had to choose from without the deck. gRPC needs
    /// HTTP/2 on both sides.
    private var upstreamVersion: UpstreamVersion {
        guard self.request.client.version == .http2 else { return .http1 }
        guard self.origin.scheme == .http else { return .either }
        let isGRPC = MessageFraming(self.request.fields) == .grpc
        return isGRPC || self.exchange.deck.configuration.speaksHTTP2(to: self.origin) ? .http2 : .http1
    }

    // MARK: Request

    /// Starts after a number of milliseconds.
    func start(after delay: Int) {
        self.delay = DelayedStart(after: delay, on: self.exchange.loop.eventLoop) { self.start() }
    }

    /// True while it is still to start.
    var isDelayed: Bool { self.delay?.isWaiting ?? false }

    /// Starts now if it was to start later.
    func hurry() {
        self.delay?.hurry()
    }

    private func start(fresh: Bool = false) {
        let lease = self.exchange.loop.upstreams.lease(
            self.head.origin,
            for: self.session,
            fresh: fresh || self.upgrades,
            tunnelled: self.upgrades,
            local: self.request.isLocal,
            version: self.upstreamVersion
        )
        lease.assumeIsolated().whenComplete { self.leased($0.map(\.value)) }
    }

    private func leased(_ result: Result<any OriginStream, any Error>) {
        switch result {
        case .success(let upstream):
            guard self.state.connected() else {
                // The client went away meanwhile.
                upstream.giveBack()
                return
            }
            self.send(on: upstream)
        case .failure(is OwnAddressReached):
            self.leave(.refuseLoop)
        case .failure(let refusal as TargetRefusal):
            self.leave(.refuseTarget(refusal))
        case .failure(let error):
            self.fail(UpstreamFailure(connecting: error, host: self.origin.host), .none)
        }
    }

    private func send(on upstream: any OriginStream) {
        self.upstream = upstream
        self.notePassed()
        self.sentTime = .now()
        var head = self.head
        head.fields = HopByHop.request(
            self.head.fields,
            host: self.request.route.isTunnel ? nil : self.origin.authority,
            narrowsCodings: self.recording != nil,
            upgrades: self.upgrades
        )
        upstream.send(head, form: self.request.form, isHead: self.request.client.isHead, to: self)
        // It may fail at once, and have been sent again.
        guard self.upstream === upstream else { return }
        for piece in self.pending { self.pass(piece, to: upstream) }
        self.pending = []
        self.pendingBytes = 0
        if let trailers = self.requestTrailers { self.passEnd(trailers, to: upstream) }
        upstream.flush()
        self.requestDescriptors()
        self.stream.resumeReading()
    }

    private func requestDescriptors() {
        guard let promise = self.recording?.requestDescriptors() else { return }
        let reflection = OriginReflection(
            self.origin,
            for: self.session,
            on: self.exchange.loop,
            isLocal: self.request.isLocal,
            version: self.upstreamVersion,
            promise: promise
        )
        reflection.start()
    }

    /// True while more of the request's body can be taken.
    var canTakeBody: Bool {
        let hasRoom = self.upstream.map { $0.isWritable } ?? (self.pendingBytes < Self.pendingLimit)
        return hasRoom && !(self.recording?.isBehind ?? false)
    }

    func sendBody(_ bytes: ByteBuffer) {
        self.requestBytes += bytes.readableBytes
        self.recording?.requestBody(bytes)
        if let upstream = self.upstream {
            self.pass(bytes, to: upstream)
            upstream.flush()
        } else {
            self.pending.append(bytes)
            self.pendingBytes += bytes.readableBytes
        }
    }

    /// True once all of the request has come, though its end may not have been read yet.
    private var hasWholeRequest: Bool {
        if self.state.requestIsComplete { return true }
        let length = self.head.fields.first(named: "content-length").flatMap { Int($0) }
        return self.requestBytes > 0 && length == self.requestBytes
    }

    /// The request is complete.
    func endBody(trailers: [HeaderField]) {
        self.requestTrailers = trailers
        self.recording?.endRequest()
        self.state.requestEnded()
        if let upstream = self.upstream { self.passEnd(trailers, to: upstream) }
    }

    private func pass(_ bytes: ByteBuffer, to upstream: any OriginStream) {
        self.sentBytes += bytes.readableBytes
        if self.sentBytes <= Self.pendingLimit {
            self.sent.append(bytes)
        } else {
            self.sent = []
            self.state.bodyWentOut()
        }
        upstream.sendBody(bytes)
    }

    /// Sends the request again, of which the origin has not done anything.
    private func sendAgain(fresh: Bool) {
        self.pending = self.sent + self.pending
        self.pendingBytes = self.pending.reduce(0) { $0 + $1.readableBytes }
        (self.sent, self.sentBytes) = ([], 0)
        self.start(fresh: fresh)
    }

    private func passEnd(_ trailers: [HeaderField], to upstream: any OriginStream) {
        upstream.sendEnd(trailers: trailers)
        self.sentTime = .now()
    }

    // MARK: Client

    /// True once the response has begun.
    var isAnswering: Bool { self.state.phase == .answering }

    /// True while an event stream is being recorded, of which there are whole events by now.
    var recordsEvents: Bool { self.isAnswering && self.recording?.hasEvents ?? false }

    func clientBecameWritable() {
        if self.canTakeResponse { self.upstream?.resumeReading() }
    }

    private func recordingCaughtUp() {
        self.stream.resumeReading()
        self.clientBecameWritable()
    }

    /// The client is gone, or sends something that cannot be understood.
    ///
    /// - Parameter isReset: true if it has reset the stream of this request alone.
    func cancel(isReset: Bool = false) {
        guard case .stop(let phase) = self.state.cancelled() else { return }
        self.delay?.cancel()
        if phase != .connecting, self.finishEarly(during: phase, isReset: isReset) { return }
        if phase == .answering, self.state.requestIsComplete, self.isWorthItsRest, let recording,
            let upstream = self.upstream
        {
            self.upstream = nil
            self.readRest(from: upstream, recording)
            return
        }
        self.recording?.discard()
        self.upstream?.close()
        self.upstream = nil
        let isFinishing = self.recording?.isFinishing ?? false
        let problem = isFinishing ? nil : AbandonedResponse.reason
        self.noteForwarded(notRecorded: problem)
        // A recording that is being finished tells of itself.
        if !isFinishing { self.tell(problem) }
    }

    /// Records what has come by now, where that is worth it.
    private func finishEarly(during phase: ForwardingState.Phase, isReset: Bool) -> Bool {
        guard let recording = self.recording, !recording.isFinishing else { return false }
        // A call that is silent from then on is one with a fault.
        if recording.isCall {
            self.leaveOut(self.filter.reason(failedAndHasResponse: phase == .answering))
        }
        guard self.leftOut == nil,
            recording.finishEarly(
                hasWholeRequest: self.hasWholeRequest,
                isReset: isReset,
                // Called when it is in the journal.
                completion: { self.note(notRecorded: $0) }
            )
        else { return false }
        self.upstream?.close()
        self.upstream = nil
        return true
    }

    /// The largest body whose rest is read for a client that is gone. 256 MiB.
    private static let restLimit = 256 << 20

    /// Records the rest of a response whose client is gone, unless another exchange has the bytes.
    private func readRest(from upstream: any OriginStream, _ recording: ExchangeRecording) {
        // Every whole response is a take; of a range the bytes are all that counts.
        if let part = self.part, !recording.claim(part), self.head.fields.contains(named: "range") {
            recording.discard()
            upstream.close()
            self.noteForwarded(notRecorded: nil)
            self.tell("another recorded response has its bytes")
            return
        }
        AbandonedResponse.read(
            recording,
            from: upstream,
            of: self.origin,
            on: self.exchange.loop.eventLoop,
            hasWholeRequest: self.hasWholeRequest
        ) { notRecorded in
            // The end of the recording has told it.
            let isTold = notRecorded != nil && recording.isOver
            self.noteForwarded(notRecorded: isTold ? nil : notRecorded)
            self.tell(notRecorded)
        }
    }

    // MARK: Ends

    private func finish(trailers: [HeaderField], notRecorded: String?) {
        switch self.held {
        case .head(let head, let end): self.stream.sendHead(head, end: end)
        case .body(let bytes): self.stream.sendBody(bytes)
        case nil: break
        }
        self.stream.sendEnd(trailers: trailers)
        self.trace.trailers(TrailerFields.sendable(trailers))
        self.note(notRecorded: notRecorded, isLeftOut: notRecorded != nil)
        guard self.state.end() else { return }
        let stream = self.stream
        self.exchange.end(.complete)
        stream.goOn()
    }

    /// Ends before forwarding, with one of Tapedeck's own answers.
    private func leave(_ verdict: Verdict) {
        guard self.state.end() else { return }
        self.recording?.discard()
        let stream = self.stream
        self.exchange.leaveOrigin(verdict)
        stream.goOn()
    }

    /// Answers a request that nothing on this machine accepts as unmatched, if the tape has sets for its origin.
    /// Returns `false` otherwise.
    private func refuseUnreachable() -> Bool {
        guard self.state.phase == .connecting, self.request.isLocal, !self.session.mode.dialsOut,
            let report = self.session.refuseUnreachable(self.request.line)
        else { return false }
        self.trace.outcome(.unmatched(report))
        self.leave(.reject(report, instead: nil))
        return true
    }

    /// Counts the request as passed through, once, if a rule lets it pass.
    private func notePassed() {
        guard !self.isPassed, self.recording == nil, let reason = self.request.passing else { return }
        self.isPassed = true
        self.session.notePassed(self.origin, reason, isTunnel: false)
    }

    private func show(_ failure: UpstreamFailure, notRecorded: String?) {
        let headIsOut = self.isAnswering && !self.holdsHead
        guard self.state.end() else { return }
        if case .body(let bytes) = self.held { self.stream.sendBody(bytes) }
        self.note(failure, notRecorded: notRecorded)
        let stream = self.stream
        self.exchange.leaveOrigin(failure, headIsOut: headIsOut)
        stream.goOn()
    }

    /// True while the client has not even the head of a response that has no body.
    private var holdsHead: Bool {
        if case .head = self.held { true } else { false }
    }

    // MARK: Reports

    /// - Parameter isLeftOut: true for a complete response that is not recorded.
    private func note(_ failure: UpstreamFailure? = nil, notRecorded: String?, isLeftOut: Bool = false) {
        if let leftOut = self.leftOut { self.session.noteLeftOut(self.request.line, leftOut) }
        self.noteForwarded(failure, notRecorded: notRecorded, isLeftOut: isLeftOut)
        self.tell(notRecorded)
    }

    private func noteForwarded(_ failure: UpstreamFailure? = nil, notRecorded: String?, isLeftOut: Bool = false) {
        // Of a request without a trouble the line is not kept, and taking its secrets out takes long.
        let line = failure == nil && notRecorded == nil ? self.request.line : self.exchange.shownLine
        self.session.noteForwarded(
            ForwardedRequest(request: line, failure: failure, notRecorded: notRecorded, isLeftOut: isLeftOut)
        )
    }

    /// Has the journal say whether the exchange is in the cassette, where it should be.
    private func tell(_ notRecorded: String?) {
        if let leftOut = self.leftOut {
            self.trace.recorded(unless: leftOut.description)
        } else if let missed = self.missedRecording {
            self.trace.recorded(unless: missed)
        } else if self.recording != nil {
            self.trace.recorded(unless: notRecorded)
        }
    }

    private var filter: RecordingFilter { self.exchange.deck.configuration.recording.filter }

    /// Excludes the exchange from the recording, if there is a reason. The client gets its answer nevertheless.
    private func leaveOut(_ reason: RecordingFilter.Reason?) {
        guard let reason, let recording = self.recording else { return }
        recording.discard()
        self.recording = nil
        self.leftOut = reason
        // The client may have waited for a file that is not written any more.
        self.stream.resumeReading()
        self.upstream?.resumeReading()
    }
}

// MARK: - Response

extension ForwardedExchange: ResponseReceiver {
    var origin: Origin { self.head.origin }

    var canTakeResponse: Bool { self.stream.isWritable && !(self.recording?.isBehind ?? false) }

    func originBecameWritable() {
        self.stream.resumeReading()
    }

    func pause() {
        self.stream.flush()
    }

    func receiveInterim(_ head: ResponseHead) {
        // RFC 9110 section 15.2: an HTTP/1.0 client is sent no 1xx.
        guard self.request.client.version != .http10 else { return }
        let head = ResponseHead(status: head.status, reason: head.reason, fields: HopByHop.interim(head.fields))
        if head.status != 100 {
            self.recording?.interim(status: head.status, reason: head.reason, fields: head.fields)
        }
        self.stream.sendInterim(self.readdressed(head))
        self.stream.flush()
    }

    /// The head for a client at an address of the deck. The tape has the origin's.
    private func readdressed(_ head: ResponseHead) -> ResponseHead {
        guard let fields = self.request.readdressed(head.fields) else { return head }
        return ResponseHead(status: head.status, reason: head.reason, fields: fields)
    }

    func note(repairs: [String]) {
        self.trace.note("the origin's header was repaired: \(repairs.joined(separator: "; "))")
    }

    func receiveHead(_ head: ResponseHead, end: BodyEnd, hasBody: Bool) {
        self.state.answerBegan()
        self.sent = []
        var fields = HopByHop.response(head.fields)
        if !ResponseHead.allowsBody(status: head.status), head.status != 304 {
            // RFC 9112 section 6.1: no transfer coding where no body can be, or a client would wait for one.
            fields.removeAll { $0.isNamed("transfer-encoding") }
        }
        let length = hasBody ? head.fields.first(named: "content-length").flatMap { Int($0) } : nil
        self.leaveOut(self.filter.reason(status: head.status, length: length))
        if self.recording != nil, self.head.method == "GET", head.status == 200 || head.status == 206, let length {
            self.isWorthItsRest = length <= Self.restLimit
            self.part = ContentPart(status: head.status, head.fields)
        }
        self.recording?.head(
            status: head.status,
            reason: head.reason,
            fields: fields,
            endsAtClose: end == .atClose,
            isOpen: end != .byHead,
            isHTTP2: self.upstream?.isHTTP2 ?? false
        )
        self.recording?.latency = Int((NIODeadline.now() - self.sentTime).nanoseconds / 1_000_000)
        let shown = self.readdressed(ResponseHead(status: head.status, reason: head.reason, fields: fields))
        // The client must not see a response complete before the recording has it.
        if !hasBody, self.recording != nil {
            self.held = .head(shown, end: end)
            self.trace.head(status: head.status, phrase: head.reason, fields: shown.fields)
        } else {
            let sent = self.stream.sendHead(shown, end: end)
            self.trace.head(status: head.status, phrase: head.reason, fields: sent)
        }
    }

    func receiveBody(_ bytes: ByteBuffer, isLast: Bool) {
        self.receivedBody += bytes.readableBytes
        self.leaveOut(self.filter.reason(size: self.receivedBody))
        self.recording?.body(bytes)
        self.trace.body(bytes)
        if isLast, self.recording != nil {
            self.held = .body(bytes)
        } else {
            self.stream.sendBody(bytes)
        }
    }

    func receiveEnd(_ trailers: [HeaderField]) {
        self.upstream = nil
        guard let recording = self.recording else {
            self.finish(trailers: trailers, notRecorded: nil)
            return
        }
        if let part = self.part { _ = recording.claim(part) }
        recording.finish(trailers: trailers, hasWholeRequest: self.hasWholeRequest) { notRecorded in
            guard self.state.phase != .done else {
                // The client may have disconnected meanwhile, which changes nothing.
                self.trace.recorded(unless: notRecorded)
                return
            }
            self.finish(trailers: trailers, notRecorded: notRecorded)
        }
    }

    /// From here on bytes are bytes, and nothing is recorded.
    func upgraded(_ head: ResponseHead, _ origin: any OpaquePeer) -> (any OpaquePeer)? {
        guard self.upgrades, self.state.end() else { return nil }
        self.recording?.discard()
        let fields = HopByHop.response(head.fields, upgrades: true)
        self.stream.sendInterim(ResponseHead(status: head.status, reason: head.reason, fields: fields))
        self.stream.flush()
        self.trace.head(status: head.status, phrase: head.reason, fields: fields)
        let protocolName = head.fields.first(named: "upgrade") ?? "another protocol"
        self.note(notRecorded: "the connection was upgraded to \(protocolName), which is passed through untouched")
        return self.exchange.becomeOpaque(with: origin)
    }

    func fail(_ failure: UpstreamFailure, _ resending: Resending) {
        let action = self.state.failed(resending, method: self.head.method)
        guard action != .none else { return }
        self.upstream = nil
        if case .retry(let fresh) = action {
            self.sendAgain(fresh: fresh)
            return
        }
        if self.refuseUnreachable() { return }
        self.notePassed()
        let isAnswering = action == .show(headIsOut: true)
        // Once the head is out the client can only be shown a body that ends too early.
        let failure =
            isAnswering && failure.fault != .connectionReset
            ? UpstreamFailure(
                fault: .truncatedBody,
                options: FaultOptions(code: failure.options.code),
                detail: failure.detail
            ) : failure
        let shown = self.session.texts.failure(failure)
        self.exchange.deck.log.notice(
            "an origin gave no complete answer",
            metadata: ["request": "\(self.exchange.shownLine)", "failure": "\(shown)"]
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
        recording.fail(failure, hasWholeRequest: self.hasWholeRequest) { notRecorded in
            guard self.state.phase != .done else {
                self.trace.recorded(unless: notRecorded)
                return
            }
            self.show(shown, notRecorded: notRecorded)
        }
    }
}

@available(*, unavailable)
extension ForwardedExchange: Sendable {}
