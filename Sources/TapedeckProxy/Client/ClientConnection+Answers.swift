import Logging
import NIOCore
import TapedeckCore
import TapedeckTLS

/// From the decision to the bytes of the answer.
extension ClientConnection {
    // MARK: Playing

    func play(_ play: Play, for client: ClientAbilities) {
        if self.deck.logsAnswers { self.logPlayed(play) }
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
            self.playFault(UpstreamFailure(fault: fault, detail: take.detail), for: client)
            return
        }
        let player = self.loop.player(for: tape)
        if let response = player.ready(number, for: client) {
            self.send(response)
            return
        }
        self.phase = .answering
        player.prepare(number, for: client).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                player.keep(response, take: number, client: client)
                self.send(response)
            case .failure(let error):
                self.answer(self.unreadable(error), for: client)
            }
            self.goOn()
        }
    }

    /// Sends a response; with a schedule, its body by that.
    func send(_ response: PlayableResponse, schedule: BodySchedule? = nil) {
        guard let context = self.context else { return }
        guard response.bodyLength > 0, schedule != nil || response.file != nil else {
            context.write(self.wrapOutboundOut(response.bytes), promise: nil)
            self.finishAnswer(response.ending)
            return
        }
        self.phase = .answering
        context.writeAndFlush(self.wrapOutboundOut(response.head), promise: nil)
        let sender = BodySender(
            response,
            schedule: schedule ?? BodySchedule(length: response.bodyLength),
            threadPool: self.deck.threadPool,
            context: context
        ) { result in
            switch result {
            case .success:
                self.finishAnswer(response.ending)
            case .failure(let error):
                if let file = response.file, !(error is ChannelError), !(error is IOError) {
                    self.deck.log.error(
                        "cannot play a body file",
                        metadata: ["file": "\(file.path)", "error": "\(error)"]
                    )
                }
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
    func playFault(_ failure: UpstreamFailure, for client: ClientAbilities) {
        switch failure.fault {
        case .connectionRefused, .timeout, .tlsHandshake, .nameNotResolved, .malformedResponse:
            let line = self.request?.line ?? self.lineOfKey
            guard let answer = OwnAnswer.gateway(failure, line) else { return }
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
            body: .object([
                ("error", .string("unreadableTake")),
                ("message", .string("Tapedeck has a take for this request but cannot play it: \(error)")),
            ])
        )
    }

    // MARK: Own answers

    /// Sends an answer of Tapedeck's own to a request whose body has been read.
    func answer(_ answer: OwnAnswer, for client: ClientAbilities) {
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
        var buffer = context.channel.allocator.buffer(capacity: 512)
        OwnAnswer.refusal(problem).write(to: &buffer, client: ClientAbilities(keepsAlive: false), closes: true)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
        self.finishAnswer(.close)
    }

    // MARK: Ends

    /// The answer is out: the next request, or the end of the connection.
    func finishAnswer(_ ending: PlayableResponse.Ending) {
        self.exchange = nil
        self.underWay = nil
        self.request = nil
        self.bodySink = .discard
        switch ending {
        case .keepAlive where self.takesMoreRequests:
            self.phase = .head
        case .keepAlive, .close:
            self.closeGently()
        case .cut:
            self.phase = .closing
            self.whenWritten { channel in
                // A close_notify would tell the client that all of the body has come.
                channel.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
                channel.close(promise: nil)
            }
        case .reset:
            self.phase = .closing
            self.whenWritten { ConnectionReset(channel: $0).start() }
        }
    }

    /// Closes the sending side, then waits a moment for the client to close its own. A deck that is stopping waits for
    /// no client from which nothing unread can be left.
    private func closeGently() {
        self.closesCleanly = self.hasReadAll
        self.phase = .closing
        self.input.clear()
        let closesAtOnce = self.inputClosed || self.isStopping && self.closesCleanly
        self.whenWritten { channel in
            guard !closesAtOnce else {
                channel.close(promise: nil)
                return
            }
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }

    /// Calls `body` once the client's socket has taken all that was written: a close before would throw it away.
    func whenWritten(_ body: @escaping @Sendable (any Channel) -> Void) {
        guard let context = self.context else { return }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in body(channel) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
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

    // MARK: Log

    func logUnmatched(_ report: UnmatchedReport) {
        self.deck.log.notice(
            "nothing on tape answers a request",
            metadata: ["request": "\(report.request)", "reason": "\(report.summary)"]
        )
    }

    private func logPlayed(_ play: Play) {
        let take = play.tape.takes[play.take]
        self.deck.log.debug(
            "played a take",
            metadata: [
                "request": "\(self.request?.line ?? self.lineOfKey)",
                "answer": "\(take.isFaultAlone ? take.fault?.rawValue ?? "" : String(take.status))",
            ]
        )
    }
}
