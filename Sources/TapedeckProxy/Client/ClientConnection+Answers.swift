import Logging
import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// From the decision to the bytes of the answer.
extension ClientConnection {
    // MARK: Playing

    /// Plays the answer to a request without a body. A plain one goes out here and now and is noted with that.
    func play(_ play: Play, _ seen: SeenRequest) {
        let client = self.abilities
        guard play.staging == nil, !play.tape.kind(ofTake: play.take).contains(.fault),
            let response = self.loop.player(for: play.tape).ready(play.take, for: client),
            response.isWhole, response.fault == nil, !response.isRestored, let context = self.context
        else {
            self.trace = ExchangeTrace(seen, .played(PlayedAnswer(play)), hasBody: false, metrics: self.loop.metrics)
            self.play(play, for: client)
            return
        }
        if self.deck.logsAnswers { self.logPlayed(play, by: seen.session) }
        context.write(self.wrapOutboundOut(response.bytes), promise: nil)
        let microseconds = seen.microseconds
        self.loop.metrics.count(seen.session.countedMode, .played, microseconds: microseconds)
        seen.session.journal.add(
            seen.request,
            at: seen.time,
            body: .empty,
            outcome: .played(PlayedAnswer(play)),
            microseconds: microseconds,
            ending: .complete
        )
        self.finishAnswer(response.ending)
    }

    func play(_ play: Play, for client: ClientAbilities) {
        if self.deck.logsAnswers { self.logPlayed(play, by: self.trace?.session) }
        if let staging = play.staging {
            self.phase = .answering
            let answer = StagedAnswer(play, staging, connection: self, client: client)
            self.underWay = answer
            answer.start()
            return
        }
        let number = play.take
        let tape = play.tape
        if tape.kind(ofTake: number).contains(.fault), let fault = tape.takes[number].fault {
            let take = tape.takes[number]
            self.phase = .answering
            self.playFault(UpstreamFailure(take, fault), isOnTape: true, for: client)
            return
        }
        let player = self.loop.player(for: tape)
        let session = self.trace?.session
        if let response = player.ready(number, for: client, session: session) {
            if response.isRestored { self.trace?.answer(response) }
            self.send(response, for: client)
            return
        }
        self.phase = .answering
        player.prepare(number, for: client, session: session).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                player.keep(response, take: number, client: client)
                if response.isRestored { self.trace?.answer(response) }
                self.send(response, for: client)
            case .failure(let error):
                self.answer(self.unreadable(error), for: client)
            }
            self.goOn()
        }
    }

    /// Plays what the session's policy has for unmatched requests.
    func play(instead take: Take, for client: ClientAbilities) {
        self.phase = .answering
        if take.isFaultAlone, let fault = take.fault {
            self.playFault(UpstreamFailure(take, fault), isOnTape: false, for: client)
            return
        }
        var take = take
        take.headers.append(HeaderField("X-Tapedeck-Unmatched", "true"))
        if let response = PlayableResponse.immediate(take, for: client) {
            self.trace?.answer(response)
            self.send(response, for: client)
            return
        }
        let made = self.deck.threadPool.runIfActive(eventLoop: self.loop.eventLoop) { [take] in
            try PlayableResponse.make(take, for: client)
        }
        made.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                self.trace?.answer(response)
                self.send(response, for: client)
            case .failure(let error):
                self.answer(self.unreadable(error), for: client)
            }
            self.goOn()
        }
    }

    /// Sends a response; with a schedule, its body by that.
    func send(_ response: PlayableResponse, for client: ClientAbilities, schedule: BodySchedule? = nil) {
        guard let context = self.context else { return }
        if let fault = response.fault { self.trace?.fault(fault, isOnTape: true) }
        guard response.bodyLength > 0, schedule != nil || response.file != nil else {
            context.write(self.wrapOutboundOut(response.bytes), promise: nil)
            self.finishAnswer(response.ending)
            return
        }
        self.phase = .answering
        let sender = BodySender(
            response,
            schedule: schedule ?? BodySchedule(length: response.bodyLength),
            threadPool: self.deck.threadPool,
            context: context
        ) { ending in
            switch ending {
            case .complete:
                self.finishAnswer(response.ending)
            case .notBegun(let error):
                self.answer(self.unreadable(error), for: client)
            case .brokenOff(let error):
                if let file = response.file, !(error is ChannelError), !(error is IOError) {
                    self.deck.log.error(
                        "cannot play a body file",
                        metadata: ["file": "\(file.path)", "error": "\(error)"]
                    )
                }
                if error is ChannelError || error is IOError { self.trace?.end(.abandoned) }
                self.finishAnswer(.cut)
            }
            self.goOn()
        }
        self.underWay = sender
        sender.begin()
    }

    /// Takes up what has waited for the end of an answer, and sends what was written.
    func goOn() {
        self.process()
        self.context?.flush()
    }

    /// The fault of a take, or of a live exchange: the client meets the same.
    ///
    /// - Parameters:
    ///   - isOnTape: the take that the journal names says it.
    ///   - headIsOut: a part of a response has gone out already.
    func playFault(
        _ failure: UpstreamFailure,
        isOnTape: Bool,
        for client: ClientAbilities,
        headIsOut: Bool = false
    ) {
        self.trace?.fault(failure.fault, isOnTape: isOnTape && failure.fault.gatewayStatus == nil)
        // No head is scanned before this answer has ended, so these are still the request's fields.
        if self.scanner.fields.isURLSession, !headIsOut,
            let answer = OwnAnswer.fault(failure, self.shownLine)
        {
            self.noteAsMet(failure, isHead: client.isHead)
            self.send(answer, for: client)
            return
        }
        switch failure.fault {
        case .connectionRefused, .timeout, .tlsHandshake, .nameNotResolved, .malformedResponse:
            guard let answer = OwnAnswer.gateway(failure, self.shownLine) else { return }
            self.answer(answer, for: client)
        case .connectionReset, .resetBeforeBody, .resetDuringBody, .resetAfterBody:
            self.finishAnswer(.reset)
        case .emptyResponse, .truncatedBody, .malformedChunk:
            self.finishAnswer(.cut)
        case .garbage:
            self.context?.write(self.wrapOutboundOut(ByteBuffer(bytes: Self.garbage)), promise: nil)
            self.finishAnswer(.cut)
        case .hang:
            self.hang()
        }
    }

    /// Has the journal say what any other client would have met: how its own is told of it is nobody's concern.
    private func noteAsMet(_ failure: UpstreamFailure, isHead: Bool) {
        if let answer = OwnAnswer.gateway(failure, self.shownLine) {
            self.trace?.answer(answer, isHead: isHead)
            return
        }
        switch failure.fault {
        case .connectionReset, .resetBeforeBody, .resetDuringBody, .resetAfterBody: self.trace?.end(.reset)
        default: self.trace?.end(.cut)
        }
    }

    /// Neither HTTP nor TLS, and the same every time.
    private static let garbage = (0..<256).map { UInt8(truncatingIfNeeded: 0x80 | $0 &* 0x65) }

    private func hang() {
        guard !self.loop.isStopping, !self.inputClosed else {
            self.closeNow()
            return
        }
        self.underWay = HangingAnswer { [weak self] in self?.closeNow() }
    }

    func unreadable(_ error: any Error) -> OwnAnswer {
        self.deck.log.error("cannot play a take", metadata: ["error": "\(error)"])
        return OwnAnswer(
            status: 500,
            json: .object([
                ("error", .string("unreadableTake")),
                ("message", .string("Tapedeck has a take for this request but cannot play it: \(error)")),
            ])
        )
    }

    // MARK: Own answers

    /// Sends an answer of Tapedeck's own to a request whose body has been read.
    func answer(_ answer: OwnAnswer, for client: ClientAbilities) {
        self.trace?.answer(answer, isHead: client.isHead)
        self.send(answer, for: client)
    }

    /// Sends an answer of Tapedeck's own without a word in the journal.
    private func send(_ answer: OwnAnswer, for client: ClientAbilities) {
        guard let context = self.context else { return }
        var buffer = context.channel.allocator.buffer(capacity: 1024)
        answer.write(to: &buffer, client: client, closes: !client.keepsAlive)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
        self.finishAnswer(client.keepsAlive ? .keepAlive : .close)
    }

    /// Refuses a request that cannot be understood; nothing behind it can be either, so the connection ends.
    func refuse(_ problem: MalformedMessage) {
        guard let context = self.context else { return }
        self.deck.log.notice("refused a request", metadata: ["reason": "\(problem.reason)"])
        let answer = OwnAnswer.refusal(problem)
        if self.trace == nil { self.loop.metrics.count(.none, .refused, microseconds: nil) }
        self.trace?.outcome(.refused(reason: problem.reason))
        self.trace?.answer(answer, isHead: false)
        var buffer = context.channel.allocator.buffer(capacity: 512)
        answer.write(to: &buffer, client: ClientAbilities(keepsAlive: false), closes: true)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
        self.finishAnswer(.close)
    }

    /// Refuses the rest of a request whose answer has begun, where another answer would pass for a part of it.
    func breakOff(_ problem: MalformedMessage) {
        self.deck.log.notice("refused the rest of a request", metadata: ["reason": "\(problem.reason)"])
        self.trace?.outcome(.refused(reason: problem.reason))
        self.finishAnswer(.cut)
    }

    /// The line of a request of which only the key is left.
    private var lineOfKey: RequestLine {
        let text = ByteText.string(from: self.key.bytes)
        let method = text.prefix { $0 != " " }
        let url = AbsoluteURL(String(text.dropFirst(method.count + 1)))
        return RequestLine(
            method: String(method),
            url: url ?? AbsoluteURL(origin: Origin(scheme: .http, host: "-"), target: "/")
        )
    }

    /// The line of the request without its secrets.
    private var shownLine: RequestLine {
        let line = self.request?.line ?? self.lineOfKey
        return (self.request?.session ?? self.trace?.session)?.shown(line) ?? line
    }

    // MARK: Log

    func logUnmatched(_ report: UnmatchedReport) {
        self.deck.log.notice(
            "nothing on tape answers a request",
            metadata: ["request": "\(report.request)", "reason": "\(report.summary)"]
        )
    }

    private func logPlayed(_ play: Play, by session: Session?) {
        let take = play.tape.takes[play.take]
        let line = self.request?.line ?? self.lineOfKey
        self.deck.log.debug(
            "played a take",
            metadata: [
                "request": "\(session?.shown(line) ?? line)",
                "answer": "\(take.isFaultAlone ? take.fault?.rawValue ?? "" : String(take.status))",
            ]
        )
    }
}
