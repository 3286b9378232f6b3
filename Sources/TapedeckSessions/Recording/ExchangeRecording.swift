package import NIOCore
import TapedeckCassettes
package import TapedeckCore
import TapedeckHTTP1
import TapedeckPlatform
package import TapedeckProtobuf
import TapedeckRedaction

/// The recording of one exchange while it runs.
package final class ExchangeRecording {
    private let recorder: Recorder
    private let number: Int
    private let head: RequestHead
    private let requestBody: CapturedBody
    /// `nil` for a request body that is not in such chunks.
    private var chunks: AWSChunks?
    /// The request's header fields as they are recorded.
    private let fields: [HeaderField]
    private let responseBody: CapturedBody
    private let eventLoop: any EventLoop
    private let start = NIODeadline.now()
    private var take = RecordedResponse()
    /// `nil` for a body that does not come in pieces.
    private var pieces: StreamPieces?
    /// The messages of a call; `nil` for any other exchange.
    private var call: CallRecording?
    /// The part of the request that is recorded.
    private var requestPart = RecordedExchange.RequestPart.whole
    /// The reason why it is not recorded, if known before its end.
    private var failure: (any Error)?
    /// The response is complete, and its bodies are on their way to where they belong.
    package private(set) var isFinishing = false

    init(recorder: Recorder, number: Int, head: RequestHead, eventLoop: any EventLoop) {
        self.recorder = recorder
        self.number = number
        self.head = head
        self.eventLoop = eventLoop
        self.requestBody = CapturedBody(.request, of: number, recorder: recorder, eventLoop: eventLoop)
        self.responseBody = CapturedBody(.response, of: number, recorder: recorder, eventLoop: eventLoop)
        self.chunks = AWSChunks(head.fields)
        self.fields = AWSChunks.removed(from: head.fields)
        self.requestBody.headers = self.fields
        guard let framing = MessageFraming(head.fields) else { return }
        recorder.noteCall(head.line.url.path)
        if framing.isStream { self.call = CallRecording(isTwoWay: framing == .grpc) }
    }

    /// Returns a promise for the descriptors of the origin, if this call needs them; see
    /// ``Recorder/requestDescriptors(of:for:on:)``. The exchange is complete only once it is fulfilled.
    package func requestDescriptors() -> EventLoopPromise<GRPCReflectionDialogue?>? {
        guard self.call?.isTwoWay ?? false else { return nil }
        return self.recorder.requestDescriptors(
            of: self.head.origin,
            for: self.head.line.url.path,
            on: self.eventLoop
        )
    }

    /// Called when ``isBehind`` turns false.
    package var onCapacity: (() -> Void)? {
        didSet {
            self.requestBody.onCapacity = self.onCapacity
            self.responseBody.onCapacity = self.onCapacity
        }
    }

    /// True if the files of this exchange are so far behind that it should pause.
    package var isBehind: Bool { self.requestBody.isBehind || self.responseBody.isBehind }

    package func requestBody(_ bytes: ByteBuffer) {
        self.call?.requestBody(bytes)
        let content = bytes.withUnsafeReadableBytes { self.chunks?.update($0) }
        self.append(content.map { ByteBuffer(bytes: $0) } ?? bytes, to: self.requestBody)
    }

    /// The request is complete.
    package func endRequest() {
        self.call?.endRequest()
    }

    /// If one body of an exchange cannot be recorded, nothing of the exchange is kept.
    private func append(_ bytes: ByteBuffer, to body: CapturedBody) {
        // Bytes that come after the response was complete belong to no recording.
        guard self.failure == nil, !self.isFinishing else { return }
        body.append(bytes)
        guard let failure = body.failure else { return }
        self.failure = failure
        self.requestBody.giveUp(failure)
        self.responseBody.giveUp(failure)
    }

    package func interim(status: Int, reason: String, fields: [HeaderField]) {
        let usual = StatusPhrase.standard(status)
        let interim = Take.Interim(status: status, reason: reason == usual ? nil : reason, headers: fields)
        self.take.interim.append(interim)
    }

    /// From when the request went out to the first byte of the final response, in milliseconds.
    package var latency: Int? {
        get { self.take.latency }
        set { self.take.latency = newValue.map { max(0, $0) } }
    }

    /// The head of the final response.
    ///
    /// - Parameters:
    ///   - endsAtClose: the end of the connection ends the body.
    ///   - isOpen: the head does not say how long the body is.
    ///   - isHTTP2: the origin speaks HTTP/2.
    package func head(
        status: Int,
        reason: String,
        fields: [HeaderField],
        endsAtClose: Bool,
        isOpen: Bool,
        isHTTP2: Bool
    ) {
        self.take.status = status
        self.take.reason = reason
        self.take.headers = fields
        self.take.endsAtClose = endsAtClose
        self.take.isHTTP2 = isHTTP2
        self.pieces = StreamPieces(fields: fields, isOpen: isOpen, at: .now())
        self.responseBody.headers = fields
    }

    package func body(_ bytes: ByteBuffer) {
        self.call?.body(bytes)
        guard self.pieces != nil else {
            self.append(bytes, to: self.responseBody)
            return
        }
        for bytes in self.pieces?.take(bytes, at: .now()) ?? [] { self.append(bytes, to: self.responseBody) }
    }

    /// The response is complete. `completion` gets why the exchange could not be recorded, or `nil`; it is called at
    /// once unless a body went to a file.
    ///
    /// - Parameter hasWholeRequest: all of the request has come. A body that has not is not kept, and no condition.
    package func finish(trailers: [HeaderField], hasWholeRequest: Bool, completion: @escaping (String?) -> Void) {
        if self.isLate(trailers),
            self.finishEarly(hasWholeRequest: hasWholeRequest, isReset: true, isLate: true, completion: completion)
        {
            return
        }
        self.take.trailers = trailers
        self.take.order = self.call?.end()
        self.end(hasWholeRequest: hasWholeRequest, completion)
    }

    /// The exchange failed, and is recorded as that.
    ///
    /// - Parameter hasWholeRequest: as in ``finish(trailers:hasWholeRequest:completion:)``.
    package func fail(_ failure: UpstreamFailure, hasWholeRequest: Bool, completion: @escaping (String?) -> Void) {
        self.take.order = self.call?.end()
        self.take.fault = failure.fault
        self.take.faultOptions = failure.options
        self.take.detail = failure.detail
        self.end(hasWholeRequest: hasWholeRequest, completion)
    }

    /// True if there are whole events of an event stream that has not ended, or whole messages of a call that only the end of
    /// the connection can leave.
    package var hasEvents: Bool {
        guard !self.isFinishing, let pieces = self.pieces, pieces.canEndEarly else { return false }
        return self.call.map { !$0.isTwoWay && $0.answered > 0 } ?? true
    }

    /// True for a call whose messages are framed.
    package var isCall: Bool { self.call != nil }

    /// Ends the recording because the client left before the response was complete. An event stream may have no end, so
    /// its events are recorded as if it had ended there. A call is silent after its last whole message, until its client
    /// leaves again.
    ///
    /// - Parameters:
    ///   - hasWholeRequest: as in ``finish(trailers:hasWholeRequest:completion:)``.
    ///   - isLate: the server said that the deadline has passed.
    ///   - isReset: the client gave up this request alone, so that a call without a response was one that waited in vain.
    /// - Returns: `false` if there is nothing to keep; discard the exchange then.
    package func finishEarly(
        hasWholeRequest: Bool,
        isReset: Bool,
        isLate: Bool = false,
        completion: @escaping (String?) -> Void
    ) -> Bool {
        guard !self.isFinishing, hasWholeRequest || self.isCall else { return false }
        // Of a request without an end, its messages are what a client sends before it leaves again; without any, it would be
        // any request.
        guard hasWholeRequest || self.call?.requestEnd ?? 0 > 0 else { return false }
        if !(isLate && self.call?.answered == 0), let pieces = self.pieces?.finishEarly() {
            self.pieces = nil
            self.take.pieces = pieces
            if let call = self.call {
                self.take.fault = .stalledBody
                self.take.faultOptions.after = .messages(call.answered)
                self.take.order = self.call?.endEarly()
            }
        } else if self.call != nil, self.take.status == 0 || isLate, isReset, hasWholeRequest {
            // Also of a server that ends it at the same moment: which comes first is chance.
            self.take.fault = .hang
            self.take.status = 0
            self.responseBody.discard()
        } else {
            return false
        }
        self.take.detail = "until the client left"
        if !hasWholeRequest { self.requestPart = .sentMessages }
        self.complete(completion)
        return true
    }

    /// True for a call whose server says that its deadline has passed when it has, as its client does at the same moment. A
    /// server that says so before has had no answer in time itself.
    private func isLate(_ trailers: [HeaderField]) -> Bool {
        guard self.call != nil, (self.take.headers + trailers).first(named: "grpc-status") == "4",
            let timeout = self.head.fields.first(named: "grpc-timeout").flatMap(GRPCTimeout.nanoseconds)
        else { return false }
        return (NIODeadline.now() - self.start).nanoseconds >= timeout - timeout / 10
    }

    /// True once the recording has ended.
    package var isOver: Bool { self.recorder.isClosed }

    /// The client is gone, and the rest of the response is recorded without it.
    package func abandon() {
        self.recorder.abandonedByClient(self.number)
    }

    /// Claims the bytes that the response has of a version of its resource. Returns `false` if another response of the
    /// recording has all of them.
    package func claim(_ part: ContentPart) -> Bool {
        self.recorder.claim(part, of: self.head.line.url)
    }

    /// The exchange is not recorded after all. One whose response is complete is, though: a client that goes away while
    /// a body file is being finished takes nothing back.
    package func discard() {
        guard !self.isFinishing else { return }
        self.recorder.abandon(self.number)
        self.onCapacity = nil
        self.requestBody.discard()
        self.responseBody.discard()
    }

    private func end(hasWholeRequest: Bool, _ completion: @escaping (String?) -> Void) {
        if !hasWholeRequest { self.requestPart = self.call == nil ? .unknown : .firstMessages }
        self.complete(completion)
    }

    private func complete(_ completion: @escaping (String?) -> Void) {
        if let rest = self.chunks?.finish() { self.append(ByteBuffer(bytes: rest), to: self.requestBody) }
        if let (rest, pieces) = self.pieces?.finish() {
            for bytes in rest { self.append(bytes, to: self.responseBody) }
            self.take.pieces = pieces
        }
        if let failure = self.failure {
            self.recorder.abandon(self.number)
            completion("\(failure)")
            return
        }
        guard self.recorder.startFinishing(self.number) else {
            self.discard()
            completion(Recorder.stoppedEarly)
            return
        }
        self.isFinishing = true
        self.onCapacity = nil
        self.requestBody.finish { requestBody in
            self.responseBody.finish { responseBody in
                self.whenDescriptorsAreKnown {
                    self.append(requestBody, responseBody) { problem in
                        self.recorder.endFinishing()
                        completion(problem)
                    }
                }
            }
        }
    }

    /// Fields of messages are searched for secrets by their names.
    private func whenDescriptorsAreKnown(_ body: @escaping () -> Void) {
        guard self.call != nil,
            let pending = self.recorder.descriptors.pending(self.head.origin, for: self.head.line.url.path)
        else { return body() }
        pending.hop(to: self.eventLoop).assumeIsolated().whenComplete { _ in body() }
    }

    /// Leaves out what is not known of a request that was answered before it was complete.
    private func limitRequest(_ exchange: inout RecordedExchange) {
        exchange.requestPart = self.requestPart
        switch (self.requestPart, exchange.requestBody) {
        case (.whole, _): return
        case (.firstMessages, .bytes(let bytes)), (.sentMessages, .bytes(let bytes)):
            exchange.requestBody = .bytes(Array(bytes.prefix(self.call?.requestEnd ?? 0)))
        case (.firstMessages, .file), (.sentMessages, .file), (.unknown, _):
            exchange.requestPart = .unknown
            exchange.requestBody = .bytes([])
            self.requestBody.discard()
        }
    }

    private func append(
        _ requestBody: Result<RecordedBody, any Error>,
        _ responseBody: Result<RecordedBody, any Error>,
        completion: @escaping (String?) -> Void
    ) {
        var exchange: RecordedExchange
        do {
            var response = self.take
            response.body = try responseBody.get()
            exchange = RecordedExchange(
                number: self.number,
                method: self.head.method,
                url: self.head.line.url.description,
                requestHeaders: self.fields,
                requestBody: try requestBody.get(),
                response: response,
                time: time(nil)
            )
            exchange.zone = LocalZone.minutes(at: exchange.time)
            self.limitRequest(&exchange)
        } catch {
            self.requestBody.discard()
            self.responseBody.discard()
            completion(self.recorder.stop(error).description)
            return
        }
        self.recorder.appendRedacted(exchange, on: self.eventLoop, completion: completion)
    }
}
