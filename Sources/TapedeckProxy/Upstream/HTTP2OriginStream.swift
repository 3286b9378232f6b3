import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckHTTP2
import TapedeckSessions

/// One request on an ``HTTP2OriginConnection``, and its response.
final class HTTP2OriginStream {
    private let connection: HTTP2OriginConnection
    private var id: Int32?
    private weak var receiver: (any ResponseReceiver)?
    /// Pieces of the response's body that wait for a receiver.
    private var input = CircularBuffer<ByteBuffer>()
    /// The trailer fields of the response, once all of it has come.
    private var trailers: [HeaderField]?
    /// The number of body bytes still expected, if its head gives a length.
    private var left: Int?
    private var hasHead = false
    private var hasSentEnd = false
    private var isHead = false
    private var interimCount = 0
    private var isDelivering = false
    private var timer: Scheduled<Void>?

    /// 1xx responses to one request.
    private static let interimLimit = 32

    init(on connection: HTTP2OriginConnection) {
        self.connection = connection
    }

    private var session: HTTP2Session { self.connection.session }

    // MARK: Response

    func received(_ head: HTTP2Head, endsStream: Bool) {
        guard let status = head.status else {
            self.trailers = head.fields
            self.deliver()
            return
        }
        guard let receiver = self.receiver else { return }
        let response = ResponseHead(status: status, fields: head.fields)
        guard status >= 200 else {
            self.interimCount += 1
            guard self.interimCount <= Self.interimLimit else {
                self.fail(UpstreamFailure(fault: .malformedResponse, detail: "1xx responses do not end"))
                return
            }
            receiver.receiveInterim(response)
            self.restartTimer()
            return
        }
        self.hasHead = true
        let hasBody = !endsStream && !self.isHead && ResponseHead.allowsBody(status: status)
        if hasBody { self.left = response.fields.first(named: "content-length").flatMap { Int($0) } }
        let end: BodyEnd = hasBody && self.left == nil ? .marked : .byHead
        receiver.receiveHead(response, end: end, hasBody: hasBody)
        // Not before: the receiver may request more while it handles the head.
        if endsStream { self.trailers = [] }
        self.deliver()
        self.restartTimer()
    }

    func received(_ bytes: ByteBuffer) {
        guard self.receiver != nil else {
            self.consume(bytes.readableBytes)
            return
        }
        self.input.append(bytes)
        self.deliver()
        self.restartTimer()
    }

    func receivedEnd() {
        if self.trailers == nil { self.trailers = [] }
        self.deliver()
        self.restartTimer()
    }

    /// Passes on the part of the body that is accepted. The rest holds back the window.
    private func deliver() {
        guard !self.isDelivering else { return }
        self.isDelivering = true
        defer { self.isDelivering = false }
        while self.hasHead, let receiver = self.receiver, receiver.canTakeResponse {
            if let bytes = self.input.popFirst() {
                self.consume(bytes.readableBytes)
                self.left = self.left.map { $0 - bytes.readableBytes }
                receiver.receiveBody(bytes, isLast: self.left == 0)
            } else if let trailers = self.trailers {
                self.end()
                // The rest of a request that was answered before its end is not sent.
                if !self.hasSentEnd { self.abandon() }
                receiver.receiveEnd(trailers)
            } else {
                break
            }
        }
    }

    /// Resets the stream, and drops its unsent data.
    private func abandon() {
        guard let id = self.id else { return }
        self.hasSentEnd = true
        self.session.abandon(id, code: .cancel)
        self.connection.pumpSoon()
    }

    private func consume(_ count: Int) {
        guard let id = self.id else { return }
        self.session.consume(count, ofStreamAlone: id)
        self.connection.pumpSoon()
    }

    /// All that has come for now has been handed on.
    func pause() {
        self.receiver?.pause()
    }

    func becameWritable() {
        self.restartTimer()
        self.receiver?.originBecameWritable()
    }

    // MARK: Ends

    /// The receiver hears nothing more.
    private func end() {
        self.receiver = nil
        self.timer?.cancel()
        self.timer = nil
        let waiting = self.input.reduce(0) { $0 + $1.readableBytes }
        self.input.removeAll()
        if waiting > 0 { self.consume(waiting) }
    }

    /// The stream has ended on the connection.
    ///
    /// - Parameter isReset: true if the origin reset it; otherwise its frames were invalid.
    func closed(_ code: HTTP2ErrorCode, isReset: Bool) {
        // An origin that has answered may refuse the rest of the request (RFC 9113 section 8.1).
        guard let receiver = self.receiver else { return }
        guard self.trailers == nil else {
            // The rest of the answer waits here for room at the client, and the connection will not ask for it again.
            receiver.pause()
            return
        }
        guard !isReset || code != .refusedStream else { return self.refused(.streamReset, code) }
        let failure =
            isReset
            ? UpstreamFailure(
                fault: self.hasHead ? .truncatedBody : .streamReset,
                options: FaultOptions(code: code)
            )
            : UpstreamFailure(
                fault: self.hasHead ? .truncatedBody : .malformedResponse,
                detail: "its frames break the rules of HTTP/2"
            )
        self.breakOff(failure)
    }

    /// The origin has not looked at the request.
    ///
    /// - Parameter fault: how it says so.
    func refused(_ fault: Fault, _ code: HTTP2ErrorCode) {
        guard let receiver = self.receiver else { return }
        self.end()
        receiver.fail(UpstreamFailure(fault: fault, options: FaultOptions(code: code)), .any)
    }

    /// The connection is gone.
    func connectionEnded(_ error: (any Error)?) {
        guard self.receiver != nil, self.trailers == nil || !self.hasHead else { return }
        let silent = UpstreamFailure(fault: self.hasHead ? .truncatedBody : .emptyResponse)
        self.breakOff(error.map(UpstreamFailure.init(reading:)) ?? silent)
    }

    /// Ends with a failure, behind what has come before it.
    private func breakOff(_ failure: UpstreamFailure) {
        while self.hasHead, let bytes = self.input.popFirst() { self.receiver?.receiveBody(bytes, isLast: false) }
        self.fail(failure)
    }

    private func fail(_ failure: UpstreamFailure) {
        guard let receiver = self.receiver else { return }
        self.end()
        self.abandon()
        receiver.fail(failure, .none)
    }

    /// As of ``UpstreamConnection``: an origin is given up on that stays silent while an answer is due.
    private func restartTimer() {
        self.timer?.cancel()
        self.timer = nil
        guard self.receiver != nil, self.trailers == nil, self.input.isEmpty, self.hasSentEnd || !self.isWritable else {
            return
        }
        let timeout = self.connection.readTimeout
        self.timer = self.connection.context?.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.fail(
                UpstreamFailure(
                    fault: .timeout,
                    detail: "no byte came for \(timeout.nanoseconds / 1_000_000_000) s (--read-timeout)"
                )
            )
        }
    }
}

extension HTTP2OriginStream: OriginStream {
    var isHTTP2: Bool { true }
    var isWritable: Bool { self.id.map { self.session.isWritable($0) } ?? true }

    func hand(to receiver: any ResponseReceiver) {
        self.receiver = receiver
    }

    func send(_ head: RequestHead, form: HTTP2RequestForm?, isHead: Bool, to receiver: any ResponseReceiver) {
        self.receiver = receiver
        self.isHead = isHead
        let length = head.fields.first(named: "content-length").flatMap { Int($0) } ?? 0
        let hasBody = length > 0 || head.fields.contains(named: "transfer-encoding")
        self.hasSentEnd = !hasBody
        let form = form ?? HTTP2RequestForm()
        let hasAuthority = form.pseudo.contains(.authority)
        let fields = form.withCrumbs(
            head.fields.filter { !(hasAuthority && $0.isNamed("host")) && !HopByHop.isOfConnection($0) }
        )
        let pseudo = form.pseudo.compactMap { name in Self.value(of: name, head).map { (name, $0) } }
        guard let id = self.session.request(pseudo, fields, endsStream: !hasBody) else {
            self.end()
            receiver.fail(
                UpstreamFailure(fault: .connectionReset, detail: "the connection accepts no more streams"),
                .any
            )
            return
        }
        self.id = id
        self.connection.add(self, as: id)
        self.restartTimer()
    }

    private static func value(of name: HTTP2Head.Pseudo, _ head: RequestHead) -> String? {
        switch name {
        case .method: head.method
        case .scheme: head.origin.scheme.rawValue
        case .authority: head.fields.first(named: "host") ?? head.origin.authority
        case .path: head.target
        case .status, .protocol: nil
        }
    }

    func sendBody(_ bytes: ByteBuffer) {
        guard let id = self.id, !self.hasSentEnd else { return }
        self.session.send(bytes, on: id)
    }

    func sendEnd(trailers: [HeaderField]) {
        guard let id = self.id, !self.hasSentEnd else {
            self.connection.pumpSoon()
            return
        }
        self.hasSentEnd = true
        self.session.end(id, trailers: TrailerFields.sendable(trailers))
        self.connection.pumpSoon()
        self.restartTimer()
    }

    func flush() {
        self.connection.pumpSoon()
    }

    func resumeReading() {
        self.deliver()
        self.receiver?.pause()
        self.restartTimer()
    }

    func close() {
        self.end()
        self.abandon()
    }

    func giveBack() {
        self.connection.waitIdle()
    }
}

@available(*, unavailable)
extension HTTP2OriginStream: Sendable {}
