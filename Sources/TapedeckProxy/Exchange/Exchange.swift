import Logging
import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// One request, from the verdict on its head to the end of its answer: its session, the action on it, and its journal
/// entry. It does not depend on the client's transport; see ``ClientStream``.
///
/// ``ExchangeState`` returns the next action, ``run(_:)`` performs it. An answer that takes time is an
/// ``AnswerUnderWay``, or a ``ForwardedExchange`` if the origin gives it.
final class Exchange {
    let deck: ProxyContext
    let loop: LoopContext
    // Each holds the other until the exchange has ended or the client is gone.
    let stream: any ClientStream
    let request: ClientRequest
    let trace: ExchangeTrace
    // As in ``ClientConnection``: their methods call nothing of this class, on one event loop.
    @exclusivity(unchecked) private(set) var state = ExchangeState()
    @exclusivity(unchecked) private var judge: RequestJudge
    /// The body, if the verdict depends on it.
    private(set) var collector: BodyCollector?
    /// The exchange with the origin, until it ends.
    private(set) var forwarded: ForwardedExchange?
    /// The unfinished answer, if it takes time.
    private(set) var underWay: (any AnswerUnderWay)?
    /// The start of an answer that was sent before its set was known.
    var early: EarlyStart?
    /// Holds back the messages of an answer that is played while the request comes.
    private(set) var gate: MessageGate?
    /// The call, while its answer goes out and more of its messages come.
    private var followed: FollowedCall?
    /// The number of answers that were given up, because the call went on in another way than their set.
    private(set) var givenUp = 0

    init(
        _ request: ClientRequest,
        _ seen: SeenRequest,
        _ verdict: Verdict,
        hasBody: Bool,
        judge: RequestJudge,
        stream: any ClientStream,
        deck: ProxyContext,
        loop: LoopContext
    ) {
        self.request = request
        self.judge = judge
        self.stream = stream
        self.deck = deck
        self.loop = loop
        self.trace = ExchangeTrace(seen, JournalEntry.Outcome(verdict), hasBody: hasBody, metrics: loop.metrics)
    }

    var session: Session { self.request.session }
    var client: ClientAbilities { self.request.client }
    /// True once the answer is out, or the client gone.
    var hasEnded: Bool { self.state.hasEnded }
    /// The line of the request without its secrets.
    var shownLine: RequestLine { self.session.shown(self.request.line) }

    // MARK: Request

    /// Does what the verdict on the head says, as far as that can be done before the body has come.
    func begin(_ verdict: Verdict) {
        if case .play(let play) = verdict, play.tape.kind(ofTake: play.take).contains(.faulty),
            play.tape.takes[play.take].fault == .stalledWindow
        {
            self.state.leaveBody()
            self.play(play)
            return
        }
        guard self.mayAnswerEarly(verdict) else {
            self.run(self.state.begin(verdict))
            return
        }
        self.gate = MessageGate()
        self.run(self.state.answerEarly(verdict))
    }

    /// True for an answer that need not wait for the whole request: to a call of which both sides send at a time.
    private func mayAnswerEarly(_ verdict: Verdict) -> Bool {
        guard self.client.version == .http2, self.isCall else { return false }
        return switch verdict {
        case .play(let play): play.tape.kind(ofTake: play.take).contains(.interleaved)
        case .reject: true
        case .forward, .needsBody, .hold, .open, .block, .refuseTarget, .refuseLoop, .answerAsLastHop, .sessionEnded:
            false
        }
    }

    /// True while an answer goes out whose request still comes.
    var answersEarly: Bool { self.gate != nil || self.early != nil }

    /// True for a call of gRPC.
    var isCall: Bool { MessageFraming(self.request.fields) != nil }

    /// True while more of the request's body can be taken.
    var canTakeBody: Bool { !self.state.isHeld && self.forwarded?.canTakeBody ?? true }

    /// True while the rest of the body waits until the request is released.
    var isHeld: Bool { self.state.isHeld }

    /// A piece of the request's body.
    func takeBody(_ bytes: ByteBuffer) {
        self.trace.requestBody(bytes)
        if self.followed != nil {
            // Of a call over the limit nothing is known any more.
            if self.collector?.add(bytes) ?? true { self.followed = nil }
            guard self.follow(bytes) else {
                self.leaveSet(isWhole: false)
                return
            }
        }
        self.gate?.take(bytes)
        switch self.state.bodyCame() {
        case .drop: break
        case .forward: self.forwarded?.sendBody(bytes)
        case .gather:
            // Asked once: by a later piece some of the body is gone.
            if self.collector?.add(bytes) ?? false {
                self.run(self.state.bodyIsTooLarge(mayForward: self.mayForward))
            }
        }
    }

    /// True if the request may have to be forwarded, although the tape asks for its body.
    private var mayForward: Bool {
        if self.session.mayDialOut { return true }
        return switch Passing(self.request.passing) {
        // A set for its URL names its origin.
        case .never, .unlessOriginIsOnTape: false
        case .unlessOnTape: true
        }
    }

    /// The request is complete.
    func endBody(trailers: [HeaderField]) {
        self.trace.endRequest()
        if let followed = self.followed, !self.goesOn(followed, [], isWhole: true) {
            self.leaveSet(isWhole: true)
            return
        }
        self.gate?.open()
        switch self.state.bodyEnded() {
        case .endForwarded:
            self.forwarded?.endBody(trailers: trailers)
            self.leaveIfDelayed()
        case let action:
            self.run(action)
        }
    }

    // MARK: Doing

    /// Does what the state says.
    func run(_ action: ExchangeState.Action) {
        switch action {
        case .none:
            break
        case .readBody:
            self.continueIfExpected()
        case .gatherBody:
            self.collector = BodyCollector(
                fields: self.request.fields,
                matchedLimit: self.deck.configuration.matchedBodyLimit,
                limit: self.session.holdsRequests ? self.deck.configuration.heldBodyLimit : 0
            )
            self.continueIfExpected()
        case .judge(let isWhole):
            self.judge(isWhole: isWhole)
        case .hold(let hold, let isWhole):
            self.hold(hold, hasWholeBody: isWhole)
        case .forward(let records, let delay):
            self.forward(records: records, delay: delay)
        case .forwardGathered(let records, let delay, let isWhole):
            self.forwardGathered(records: records, delay: delay, isWhole: isWhole)
        case .endForwarded:
            self.forwarded?.endBody(trailers: [])
        case .answer(let verdict):
            self.answer(verdict)
        }
    }

    /// Gives the answer that a verdict says.
    private func answer(_ verdict: Verdict) {
        switch verdict {
        case .play(let play): self.play(play)
        case .reject(let report, let take): self.reject(report, instead: take)
        case .open(let answer): self.open(answer)
        case .block(let pattern): self.refuseBlocked(pattern)
        case .refuseTarget(let refusal): self.refuseTarget(refusal)
        case .refuseLoop: self.refuseLoop()
        case .answerAsLastHop: self.answerAsLastHop()
        case .sessionEnded(let isHeld): self.refuseEnded(isHeld: isHeld)
        // The state gives these to others, except where a part of an answer is out.
        case .forward, .hold, .needsBody: if self.early != nil { self.answer(.earlyAnswerDiffers) }
        }
    }

    private func continueIfExpected() {
        if self.request.expectsContinue { self.stream.sendContinue() }
    }

    /// Finds the verdict with what is known of the body: all of it, or, where it may have to be passed on, as much as
    /// memory should hold.
    private func judge(isWhole: Bool) {
        guard let collector = self.collector else { return }
        let body = isWhole ? collector.observed() : collector.observedMessages()
        let decision = self.session.answer(
            self.request.key,
            body: body,
            selects: !SelectingFields(of: self.request.fields).isEmpty,
            passing: Passing(self.request.passing)
        ) { self.request.fields }
        self.carryOut(decision, isWhole: isWhole)
    }

    /// Carries out a decision of the tape, or of the release of the request.
    func carryOut(_ decision: Decision, isWhole: Bool) {
        let verdict = self.judge.verdict(decision, on: self.request.line.url.origin, passing: self.request.passing)
        self.trace.outcome(JournalEntry.Outcome(verdict))
        guard !isWhole && self.mayAnswerEarly(verdict) || self.early != nil else {
            self.run(self.state.judged(verdict, isWhole: isWhole))
            return
        }
        let pieces = self.collector?.pieces ?? []
        if case .play(let play) = verdict, !isWhole {
            self.followed = FollowedCall(play)
            // One that matches in another way, such as by values that vary, is not compared any more.
            if !pieces.allSatisfy({ self.follow($0) }) { self.followed = nil }
        }
        let gate = MessageGate()
        for piece in pieces { gate.take(piece) }
        self.gate = gate
        if isWhole { gate.open() }
        self.run(self.state.answerEarly(verdict))
    }

    /// The client has sent what it has for now. It may wait for an answer to the messages so far.
    func clientPaused() {
        guard let collector = self.collector, case .reading(.verdict) = self.state.phase,
            let body = collector.newMessages(each: self.session.answersEarly)
        else { return }
        let sent = self.early?.messages ?? 0
        switch self.session.earlyAnswer(self.request.key, body: body, fields: self.request.fields, sent: sent) {
        case .wait: break
        case .decide: self.judge(isWhole: false)
        case .send(let play, let messages): self.sendEarly(play, messages: messages)
        }
    }

    /// Takes more of a call whose answer goes out. Returns false if it goes on in another way than its set.
    private func follow(_ bytes: ByteBuffer) -> Bool {
        guard var followed = self.followed else { return true }
        guard let messages = followed.take(bytes, self.request.fields) else {
            self.followed = nil
            return true
        }
        guard messages.isEmpty || self.goesOn(followed, messages, isWhole: false) else { return false }
        followed.checked()
        self.followed = followed
        return true
    }

    private func goesOn(_ followed: FollowedCall, _ messages: [UInt8], isWhole: Bool) -> Bool {
        self.session.goesOn(
            followed.play,
            self.request.key,
            messages: messages,
            fields: self.request.fields,
            after: followed.count,
            isWhole: isWhole
        )
    }

    /// The call is not that of the set whose answer goes out: it gets what the tape has for it, if that begins with what has been
    /// sent.
    private func leaveSet(isWhole: Bool) {
        self.followed = nil
        self.givenUp += 1
        self.gate?.cancel()
        if let sender = self.underWay as? BodySender { self.early = sender.begun }
        self.underWay?.cancel()
        self.underWay = nil
        self.judge(isWhole: isWhole)
    }

    // MARK: Holding

    /// The request is held, and the rest of its body with it.
    func holdBody(isWhole: Bool) {
        self.state.held(hasWholeBody: isWhole)
    }

    /// Releases the request. Returns true if its body is complete; `nil` if it is no longer held.
    func release() -> Bool? {
        self.state.released()
    }

    /// Carries out the verdict of a release.
    func carryOut(_ verdict: Verdict, isWhole: Bool) {
        self.run(self.state.judged(verdict, isWhole: isWhole))
    }

    // MARK: Forwarding

    private func forward(records: Bool, delay: Int) {
        var fields = self.request.fields
        let line = self.request.line
        if MaxForwards.applies(to: line.method), let left = MaxForwards.decrement(&fields), left < 0 {
            self.leaveOrigin(.answerAsLastHop)
            return
        }
        let recorder = records ? self.session.recorder : nil
        // The session and its recording have ended since the request was routed: the origin's answer would not be
        // recorded.
        if records, recorder == nil, self.session.isEnded {
            self.leaveOrigin(.sessionEnded(isHeld: false))
            return
        }
        let head = RequestHead(
            method: line.method,
            origin: line.url.origin,
            // RFC 9112 section 3.2.4: the asterisk-form has no path.
            target: line.method == "OPTIONS" && line.url.target == "/*" ? "*" : line.url.target,
            fields: BaseURLTarget.withoutKeys(fields)
        )
        let forwarded = ForwardedExchange(self, head: head, records: records, recorder)
        self.forwarded = forwarded
        forwarded.start(after: self.loop.isStopping ? 0 : delay)
    }

    private func forwardGathered(records: Bool, delay: Int, isWhole: Bool) {
        guard let collector = self.collector else { return }
        guard !isWhole || !collector.isOverLimit else {
            // It was read for a session that asked no origin, and while it was held that has changed.
            self.state.leftOrigin()
            self.refuse(MalformedMessage("its body is longer than Tapedeck keeps of a request it holds", status: 413))
            return
        }
        self.collector = nil
        self.forward(records: records, delay: delay)
        guard let forwarded = self.forwarded else { return }
        for piece in collector.pieces { forwarded.sendBody(piece) }
        if isWhole {
            forwarded.endBody(trailers: [])
            self.leaveIfDelayed()
        }
    }

    /// The origin is not asked, or gave nothing that could be passed on: the client gets an answer of Tapedeck's own.
    func leaveOrigin(_ verdict: Verdict) {
        self.forwarded = nil
        self.state.leftOrigin()
        self.run(.answer(verdict))
    }

    /// Answers after a failure to reach the origin, or after an incomplete response.
    ///
    /// - Parameter headIsOut: true if a part of its response was sent to the client.
    func leaveOrigin(_ failure: UpstreamFailure, headIsOut: Bool) {
        self.forwarded = nil
        self.state.leftOrigin()
        self.playFault(failure, isOnTape: false, headIsOut: headIsOut)
    }

    // MARK: Unfinished answers

    /// Keeps an answer that takes its time.
    func keep(_ answer: any AnswerUnderWay) {
        self.underWay = answer
    }

    /// The unfinished answer has ended, or another replaces it.
    func drop(_ answer: any AnswerUnderWay) -> Bool {
        guard self.underWay === answer else { return false }
        self.underWay = nil
        return true
    }

    // MARK: Client

    /// The client takes more of an answer.
    func clientBecameWritable() {
        self.forwarded?.clientBecameWritable()
    }

    /// The client has finished sending. It may have gone, or wait for its answer. Only an answer in progress continues.
    func clientFinishedSending() {
        self.underWay?.clientFinishedSending()
        self.leaveIfDelayed()
        // The next event may come at any time, and the previous ones must be in the cassette when the recording ends.
        if let forwarded = self.forwarded, forwarded.recordsEvents { self.leave(forwarded) }
    }

    /// A client that has finished sending does not wait out a delay before its request is passed on; see
    /// ``StagedAnswer/clientFinishedSending()``.
    private func leaveIfDelayed() {
        guard self.stream.hasFinishedSending, let forwarded = self.forwarded, forwarded.isDelayed else { return }
        self.leave(forwarded)
    }

    private func leave(_ forwarded: ForwardedExchange) {
        forwarded.cancel()
        self.abandon()
    }

    /// Abandons the exchange, because the client has disconnected. Written bytes are still sent.
    func abandon() {
        self.trace.end(.abandoned)
        self.end(.completeAndClosed)
    }

    /// The deck is stopping: nothing is waited for any more.
    func hurry() {
        self.forwarded?.hurry()
        self.underWay?.hurry()
    }

    /// The client is gone, or its connection is.
    ///
    /// - Parameter isReset: true if it has reset the stream of this request alone.
    func cancel(isReset: Bool = false) {
        guard self.state.end() else { return }
        self.forwarded?.cancel(isReset: isReset)
        self.forwarded = nil
        self.underWay?.cancel()
        self.underWay = nil
        self.trace.end(.abandoned)
    }

    // MARK: Ends

    /// The answer is out.
    func end(_ ending: StreamEnding) {
        guard self.state.end() else { return }
        self.trace.end(JournalEntry.Ending(ending))
        self.forwarded = nil
        self.underWay = nil
        self.stream.finish(ending)
    }

    /// The connection is a tunnel from here on.
    func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer {
        _ = self.state.end()
        self.forwarded = nil
        self.trace.end(.complete)
        return self.stream.becomeOpaque(with: peer)
    }

    /// The rest of the request is malformed, or does not come.
    func refuseRest(_ problem: MalformedMessage) {
        let isAnswering = self.forwarded?.isAnswering ?? false
        self.forwarded?.cancel()
        self.forwarded = nil
        guard isAnswering else {
            self.refuse(problem)
            return
        }
        // Another answer would pass for a part of the one that has begun.
        self.deck.log.notice("refused the rest of a request", metadata: ["reason": "\(problem.reason)"])
        self.trace.outcome(.refused(reason: problem.reason))
        self.end(.cut)
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}

extension JournalEntry.Ending {
    init(_ ending: StreamEnding) {
        self =
            switch ending {
            case .complete, .completeAndClosed, .goAway: .complete
            case .cut, .refused, .garbage: .cut
            case .streamReset, .reset: .reset
            }
    }
}
