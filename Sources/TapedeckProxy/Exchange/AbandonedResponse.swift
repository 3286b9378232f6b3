import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// The rest of a response whose client is gone, read for the recording alone.
///
/// Browsers and players break off most of their requests for media and documents, and continue with ranges at other
/// places. Only with the whole on tape can a replay answer the ranges that it is asked for.
final class AbandonedResponse {
    let origin: Origin
    private let recording: ExchangeRecording
    private let upstream: any OriginStream
    private let hasWholeRequest: Bool
    private let completion: (_ notRecorded: String?) -> Void
    /// Holds the object until the end, because a stream does not hold its receiver.
    private var itself: AbandonedResponse?
    private var hasReceived = false

    /// The maximum silence of its origin: no client waits that could lose its patience. 60 s.
    private static let patience = TimeAmount.seconds(60)

    /// The reason for a response of which not all came.
    static let reason = "the client went away before the response was complete"

    /// Starts to read.
    ///
    /// - Parameter completion: called with the reason why the exchange is not recorded, or `nil`.
    static func read(
        _ recording: ExchangeRecording,
        from upstream: any OriginStream,
        of origin: Origin,
        on eventLoop: any EventLoop,
        hasWholeRequest: Bool,
        completion: @escaping (_ notRecorded: String?) -> Void
    ) {
        let response = AbandonedResponse(recording, upstream, origin, hasWholeRequest, completion)
        response.itself = response
        recording.abandon()
        recording.onCapacity = { [weak response] in response?.upstream.resumeReading() }
        upstream.hand(to: response)
        upstream.resumeReading()
        response.watch(on: eventLoop)
    }

    /// Gives up once nothing has come for a time.
    private func watch(on eventLoop: any EventLoop) {
        self.hasReceived = false
        eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
            guard let self, self.itself != nil else { return }
            if self.hasReceived { self.watch(on: eventLoop) } else { self.giveUp() }
        }
    }

    private func giveUp() {
        self.itself = nil
        self.upstream.close()
        self.recording.discard()
        self.completion(Self.reason)
    }

    private init(
        _ recording: ExchangeRecording,
        _ upstream: any OriginStream,
        _ origin: Origin,
        _ hasWholeRequest: Bool,
        _ completion: @escaping (String?) -> Void
    ) {
        self.recording = recording
        self.upstream = upstream
        self.origin = origin
        self.hasWholeRequest = hasWholeRequest
        self.completion = completion
    }
}

extension AbandonedResponse: ResponseReceiver {
    var canTakeResponse: Bool { !self.recording.isBehind }

    func originBecameWritable() {}
    func receiveInterim(_ head: ResponseHead) {}
    func note(repairs: [String]) {}
    func receiveHead(_ head: ResponseHead, end: BodyEnd, hasBody: Bool) {}
    func upgraded(_ head: ResponseHead, _ origin: any OpaquePeer) -> (any OpaquePeer)? { nil }
    func pause() {}

    func receiveBody(_ bytes: ByteBuffer, isLast: Bool) {
        guard !self.recording.isOver else {
            // It is too late for the rest.
            self.giveUp()
            return
        }
        self.hasReceived = true
        self.recording.body(bytes)
    }

    func receiveEnd(_ trailers: [HeaderField]) {
        self.itself = nil
        self.recording.finish(trailers: trailers, hasWholeRequest: self.hasWholeRequest, completion: self.completion)
    }

    func fail(_ failure: UpstreamFailure, _ resending: Resending) {
        self.itself = nil
        self.recording.discard()
        self.completion(Self.reason)
    }
}

@available(*, unavailable)
extension AbandonedResponse: Sendable {}
