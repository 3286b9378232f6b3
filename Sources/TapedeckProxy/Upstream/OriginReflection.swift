import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckProtobuf
import TapedeckSessions

/// Requests the descriptors of an origin by server reflection, with one call.
///
/// Most servers in production do not offer it, and one that does not answer must not hold up the recorded calls for long.
final class OriginReflection {
    /// The maximum time for the whole call. Answers wait for it.
    private static let timeout = TimeAmount.seconds(1)
    /// The maximum size of all responses, in bytes. 16 MiB.
    private static let sizeLimit = 16 << 20

    let origin: Origin
    private let session: Session
    private let loop: LoopContext
    private let isLocal: Bool
    private let version: UpstreamVersion
    private let promise: EventLoopPromise<GRPCReflectionDialogue?>
    private var methods = GRPCReflection.methods[...]
    private var dialogue = GRPCReflectionDialogue()
    private var reader = GRPCMessageReader(limit: OriginReflection.sizeLimit)
    private var received = 0
    private var hasAnswered = false
    private var hasRetried = false
    private var isDone = false
    private var upstream: (any OriginStream)?
    /// Holds this object until the call ends.
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - isLocal: true to connect to loopback addresses of this machine only.
    ///   - version: the versions of HTTP that the origin may choose from.
    ///   - promise: gets the responses; `nil` if there is none.
    init(
        _ origin: Origin,
        for session: Session,
        on loop: LoopContext,
        isLocal: Bool,
        version: UpstreamVersion,
        promise: EventLoopPromise<GRPCReflectionDialogue?>
    ) {
        self.origin = origin
        self.session = session
        self.loop = loop
        self.isLocal = isLocal
        self.version = version
        self.promise = promise
    }

    func start() {
        let timer = self.loop.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout) { self.end() }
        self.timer = timer
        // The loop may stop before.
        timer.futureResult.assumeIsolated().whenFailure { _ in self.end() }
        self.call()
    }

    /// Calls the newest method that was not tried yet.
    private func call() {
        guard !self.isDone, let method = self.methods.popFirst() else { return self.end() }
        self.reader = GRPCMessageReader(limit: Self.sizeLimit)
        let lease = self.loop.upstreams.lease(
            self.origin,
            for: self.session,
            local: self.isLocal,
            version: self.version
        )
        lease.assumeIsolated().whenComplete { self.leased($0.map(\.value), method) }
    }

    private func leased(_ result: Result<any OriginStream, any Error>, _ method: String) {
        guard case .success(let upstream) = result else { return self.end() }
        guard !self.isDone, upstream.isHTTP2 else {
            upstream.giveBack()
            return self.end()
        }
        self.upstream = upstream
        let fields = [
            HeaderField("Host", self.origin.authority),
            HeaderField("Content-Type", "application/grpc"),
            HeaderField("TE", "trailers"),
            HeaderField("Transfer-Encoding", "chunked"),
        ]
        let head = RequestHead(method: "POST", origin: self.origin, target: method, fields: fields)
        upstream.send(head, form: nil, isHead: false, to: self)
        self.sendNext()
    }

    /// Sends the next message, or the end of the request.
    private func sendNext() {
        guard let upstream = self.upstream else { return }
        if let request = self.dialogue.request {
            upstream.sendBody(ByteBuffer(bytes: GRPCMessage(bytes: request.bytes).frame))
        } else {
            upstream.sendEnd(trailers: [])
        }
        upstream.flush()
    }

    /// Ends with the files that have come. Messages of the others are recorded by field numbers.
    private func end() {
        guard !self.isDone else { return }
        self.isDone = true
        self.upstream?.close()
        self.upstream = nil
        self.timer?.cancel()
        self.timer = nil
        self.promise.succeed(self.hasAnswered ? self.dialogue : nil)
    }
}

extension OriginReflection: ResponseReceiver {
    var canTakeResponse: Bool { true }

    func originBecameWritable() {}

    func receiveInterim(_ head: ResponseHead) {}

    func note(repairs: [String]) {}
    func receiveHead(_ head: ResponseHead, end: BodyEnd, hasBody: Bool) {}

    func receiveBody(_ bytes: ByteBuffer, isLast: Bool) {
        self.received += bytes.readableBytes
        self.reader.append(bytes.readableBytesView)
        do {
            while let message = try self.reader.next() {
                // No coding was offered.
                guard self.received <= Self.sizeLimit, message.flags == 0 else { return self.end() }
                self.hasAnswered = true
                self.dialogue.receive(message.bytes)
                self.sendNext()
            }
        } catch {
            self.end()
        }
    }

    func receiveEnd(_ trailers: [HeaderField]) {
        self.upstream = nil
        if self.hasAnswered { self.end() } else { self.call() }
    }

    func upgraded(_ head: ResponseHead, _ origin: any OpaquePeer) -> (any OpaquePeer)? { nil }

    func fail(_ failure: UpstreamFailure, _ resending: Resending) {
        self.upstream = nil
        if resending != .none, !self.hasRetried {
            self.hasRetried = true
            self.methods = GRPCReflection.methods[...]
        }
        if self.hasAnswered { self.end() } else { self.call() }
    }

    func pause() {}
}

@available(*, unavailable)
extension OriginReflection: Sendable {}
