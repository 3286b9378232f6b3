package import NIOCore
import Synchronization
package import TapedeckCore
package import TapedeckHTTP1

/// Writes one exchange into the journal of its session while it runs, so that the journal shows what the client saw.
/// Belongs to one event loop.
///
/// The entry exists from the beginning. It changes when the request is complete, when its outcome is decided, when the
/// answer begins and when it ends; bodies are collected here until they end, up to the journal's limit. A plain answer
/// from tape, which begins and ends in one moment, needs none of this and is written at once.
package final class ExchangeTrace {
    package let session: Session
    private let seen: SeenRequest
    private let number: Int
    private var requestBody: BodyExcerpt?
    private var responseBody: BodyExcerpt
    private var response: JournalResponse?
    private var note: String?
    private var hasBegun = false
    private var isEnded = false
    /// The recording has the exchange.
    private var isRecorded = false
    private let metrics: LoopMetrics
    /// As the request came.
    private let mode: LoopMetrics.Mode
    /// The outcome to count when it ends.
    private var result: LoopMetrics.Outcome
    /// Counts the exchange as a request in progress until it ends, at the latest when this is released.
    private var slot: Gauge.Slot?

    package init(_ seen: SeenRequest, _ outcome: JournalEntry.Outcome, hasBody: Bool, metrics: LoopMetrics) {
        let journal = seen.session.journal
        self.session = seen.session
        self.slot = seen.session.meter.requests.slotInAnyCase()
        self.seen = seen
        self.requestBody = hasBody ? BodyExcerpt(limit: journal.limits.body) : nil
        self.responseBody = BodyExcerpt(limit: journal.limits.body)
        self.metrics = metrics
        self.mode = seen.session.countedMode
        self.result = LoopMetrics.Outcome(outcome)
        self.number = journal.add(seen.request, at: seen.time, body: hasBody ? nil : .empty, outcome: outcome)
    }

    private func change(_ change: (inout JournalEntry) -> Void) {
        self.session.journal.change(self.number, change)
    }

    // MARK: Request

    package func requestBody(_ bytes: ByteBuffer) {
        self.requestBody?.append(bytes)
    }

    /// All of the request has come.
    package func endRequest() {
        guard let body = self.requestBody else { return }
        self.requestBody = nil
        self.change { $0.requestBody = body.body }
    }

    /// Notes a new or changed outcome.
    package func outcome(_ outcome: JournalEntry.Outcome) {
        guard !self.isEnded else { return }
        self.result = LoopMetrics.Outcome(outcome)
        self.change { $0.outcome = outcome }
    }

    /// Notes that the request was released with a given answer.
    package func played(_ names: PlayedAnswer.Names) {
        guard !self.isEnded else { return }
        self.result = .played
        self.change { entry in
            entry.outcome = .played(PlayedAnswer(names))
            entry.heldBytes += names.size
        }
    }

    /// Returns the current entry, for a client that sees a held request.
    package func held() -> JournalEntry {
        // A small journal may have dropped it already.
        self.session.journal.entry(self.number)
            ?? JournalEntry(
                number: self.number,
                version: 0,
                time: self.seen.time,
                request: self.seen.request,
                requestBody: nil,
                outcome: .pending,
                response: nil,
                microseconds: nil,
                ending: nil
            )
    }

    // MARK: Response

    /// Notes a change of the response on its way to the client, for a person.
    package func note(_ note: String) {
        self.note = [self.note, note].compactMap { $0 }.joined(separator: "; ")
    }

    /// Notes that the head of a response was sent to the client.
    package func head(status: Int, phrase: String, fields: [HeaderField]) {
        guard !self.isEnded else { return }
        var response = JournalResponse(status: status, reason: phrase, fields: fields, body: .empty)
        response.note = self.note
        self.response = response
        self.hasBegun = true
        self.change { [response] entry in
            entry.response = response
            entry.hasBegun = true
        }
    }

    /// An answer off the tape that takes its time begins to go to the client.
    package func begin() {
        guard !self.isEnded, !self.hasBegun else { return }
        self.hasBegun = true
        self.change { $0.hasBegun = true }
    }

    /// A part of the body, without its framing.
    package func body(_ bytes: ByteBuffer) {
        self.responseBody.append(bytes)
    }

    package func trailers(_ fields: [HeaderField]) {
        self.response?.trailers = fields
    }

    /// Tapedeck answers itself.
    package func answer(_ answer: LocalResponse, isHead: Bool) {
        var response = JournalResponse(
            status: answer.status,
            reason: answer.phrase,
            fields: answer.fields,
            body: .empty
        )
        response.fault = self.response?.fault
        response.faultCode = self.response?.faultCode
        response.notRecorded = self.response?.notRecorded
        self.response = response
        self.responseBody = BodyExcerpt(limit: self.session.journal.limits.body)
        if !isHead { self.responseBody.append(ByteBuffer(bytes: answer.body)) }
    }

    /// Notes a response that differs from the one on tape.
    ///
    /// - Parameters:
    ///   - body: the part of the body that is in memory, without its framing.
    ///   - length: the length of the whole body, in bytes.
    package func answer(_ head: ResponseHead, fault: Fault?, body: ByteBuffer, length: Int) {
        self.response = JournalResponse(status: head.status, reason: head.reason, fields: head.fields, body: .empty)
        self.response?.fault = fault
        self.response?.note = self.note
        self.responseBody = BodyExcerpt(limit: self.session.journal.limits.body)
        self.responseBody.append(body)
        self.responseBody.length = length
    }

    /// A client is shown a fault.
    ///
    /// - Parameters:
    ///   - code: the code of HTTP/2 that goes with it, where it is not the usual one.
    ///   - isOnTape: the take that is played says it already.
    package func fault(_ fault: Fault, code: HTTP2ErrorCode?, isOnTape: Bool) {
        self.session.noteFault(fault)
        if self.result == .forwarded || self.result == .recorded { self.result = .failed }
        guard !isOnTape else { return }
        self.withResponse { ($0.fault, $0.faultCode) = (fault, code) }
    }

    /// Notes that the recording has the exchange, or why not. The client may have gone before.
    package func recorded(unless problem: String?) {
        if let problem { self.withResponse { $0.notRecorded = problem } }
        self.isRecorded = problem == nil
        if self.isRecorded, self.result == .forwarded { self.result = .recorded }
        // Otherwise the end says it, which comes next.
        guard self.isEnded else { return }
        self.change { entry in
            if self.isRecorded { entry.outcome = .forwarded(recorded: true) }
            entry.response = self.response
        }
    }

    private func withResponse(_ change: (inout JournalResponse) -> Void) {
        var response = self.response ?? JournalResponse(status: 0, reason: "", fields: [], body: .empty)
        change(&response)
        self.response = response
    }

    /// The answer has ended. Nothing comes behind this.
    package func end(_ ending: JournalEntry.Ending) {
        guard !self.isEnded else { return }
        self.isEnded = true
        self.slot = nil
        let microseconds = self.seen.microseconds
        self.metrics.count(self.mode, self.result, microseconds: microseconds)
        if ending != .abandoned { self.hasBegun = true }
        // The client received none of it. The rest, such as why it was not recorded, stays.
        if !self.hasBegun, self.response?.status != 0 { self.response = nil }
        self.response?.body = self.responseBody.body
        self.change { entry in
            entry.hasBegun = self.hasBegun
            if self.isRecorded { entry.outcome = .forwarded(recorded: true) }
            if let body = self.requestBody { entry.requestBody = body.body }
            entry.response = self.response
            entry.microseconds = microseconds
            entry.ending = ending
        }
        self.requestBody = nil
    }
}

@available(*, unavailable)
extension ExchangeTrace: Sendable {}

/// The beginning of a body, and how long all of it is.
private struct BodyExcerpt {
    private let limit: Int
    private var bytes: [UInt8] = []
    var length = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ more: ByteBuffer) {
        let room = max(0, self.limit - self.bytes.count)
        if room > 0 { self.bytes.append(contentsOf: more.readableBytesView.prefix(room)) }
        self.length += more.readableBytes
    }

    var body: JournalBody { JournalBody(bytes: self.bytes, length: self.length) }
}
