import Logging
import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// Answers off the tape.
extension Exchange {
    /// Plays the answer that the tape has.
    func play(_ play: Play) {
        if self.deck.logsAnswers { self.deck.logPlayed(play, self.request.line, by: self.session) }
        if let staging = play.staging {
            let answer = StagedAnswer(play, staging, exchange: self)
            self.keep(answer)
            answer.start()
            return
        }
        let number = play.take
        let tape = play.tape
        if tape.kind(ofTake: number).contains(.fault), let fault = tape.takes[number].fault {
            self.playFault(UpstreamFailure(tape.takes[number], fault), isOnTape: true)
            return
        }
        let player = self.loop.player(for: tape)
        if let response = player.ready(number, for: self.client, session: self.session) {
            if response.isRestored { self.trace.answer(response) }
            self.send(response)
            return
        }
        let givenUp = self.givenUp
        player.prepare(number, for: self.client, session: self.session).assumeIsolated().whenComplete { result in
            guard givenUp == self.givenUp else { return }
            switch result {
            case .success(let response):
                player.keep(response, take: number, client: self.client)
                if response.isRestored { self.trace.answer(response) }
                self.send(response)
            case .failure(let error):
                self.answer(self.unreadable(error))
            }
            self.stream.goOn()
        }
    }

    /// Plays what the session's policy has for unmatched requests.
    func play(instead take: Take) {
        if take.isFaultAlone, let fault = take.fault {
            self.playFault(UpstreamFailure(take, fault), isOnTape: false)
            return
        }
        var take = take
        take.headers.append(HeaderField("X-Tapedeck-Unmatched", "true"))
        let client = self.client
        if let response = PlayableResponse.immediate(take, for: client) {
            self.trace.answer(response)
            self.send(response)
            return
        }
        let made = self.deck.threadPool.runIfActive(eventLoop: self.loop.eventLoop) { [take] in
            try PlayableResponse.make(take, for: client)
        }
        made.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                self.trace.answer(response)
                self.send(response)
            case .failure(let error):
                self.answer(self.unreadable(error))
            }
            self.stream.goOn()
        }
    }

    /// Sends a response; with a schedule, its body by that.
    ///
    /// - Parameter datesMoved: true if its dates are those of today already.
    func send(_ response: PlayableResponse, schedule: BodySchedule? = nil, datesMoved: Bool = false) {
        guard !self.hasEnded else { return }
        let response = self.adapted(response, datesMoved: datesMoved)
        if let fault = response.fault { self.trace.fault(fault, code: nil, isOnTape: true) }
        if let early = self.early, !early.begins(response) {
            self.deck.logUnmatched(self.session.noteOtherAnswer(self.request.key, fields: self.request.fields))
            self.answer(.earlyAnswerDiffers)
            return
        }
        if let gate = self.gate, response.order != nil || self.early != nil {
            self.send(response, gate, schedule: schedule)
            return
        }
        guard response.bodyLength > 0, schedule != nil || response.file != nil else {
            self.stream.send(response)
            self.leave(response)
            return
        }
        self.sendBody(of: response, schedule ?? BodySchedule(length: response.bodyLength), gate: nil)
    }

    /// The response as this client is to get it, which the journal shows then: with cookies that have not ended, with the
    /// deck's address in place of the origin's, and without waiting.
    private func adapted(_ response: PlayableResponse, datesMoved: Bool) -> PlayableResponse {
        var adapted = response
        if !datesMoved, let (recorded, end) = response.cookieLife {
            let now = self.deck.configuration.now()
            if end <= now {
                adapted =
                    adapted.changing { ResponseDates.renewCookies($0, recorded: recorded, now: now) } ?? adapted
                self.trace.note("cookies that have ended since are valid for as long as they were")
            }
        }
        if response.mayNameOrigin, self.request.address != nil {
            adapted = adapted.changing(self.request.readdressed) ?? adapted
        }
        if response.saysToWait, self.session.rules.isFast {
            var waits: [String] = []
            adapted = adapted.changing { Self.withoutWaits($0, &waits) } ?? adapted
            if !waits.isEmpty { self.trace.note("shortened by --fast: \(waits.joined(separator: ", "))") }
        }
        if adapted !== response { self.trace.answer(adapted) }
        return adapted
    }

    /// - Parameter waits: gets the fields as they were.
    private static func withoutWaits(_ fields: [HeaderField], _ waits: inout [String]) -> [HeaderField]? {
        var result = fields
        // Azure's SDK for Python takes 0 for no value and waits for half a minute, and reads Retry-After first.
        let isOfAzure = fields.contains { field in
            ASCII.lowercased(field.name).hasPrefix("x-ms-") || field.isNamed("operation-location")
        }
        for (index, field) in fields.enumerated() where WaitField.isOne(field) && field.value != "0" {
            waits.append("\(field.name): \(field.value)")
            if isOfAzure { result[index].name = "retry-after-ms" }
            result[index].value = isOfAzure ? "1" : "0"
        }
        return waits.isEmpty ? nil : result
    }

    /// Sends an answer to a call whose request still comes.
    private func send(_ response: PlayableResponse, _ gate: MessageGate, schedule: BodySchedule?) {
        if response.bodyLength == 0, response.trailers.isEmpty, self.early == nil {
            // The head ends the stream.
            gate.wait(for: response.order?.end) {
                self.stream.send(response)
                self.leave(response)
                self.stream.goOn()
            }
            return
        }
        let timeline = PieceTimeline(atOnce: response.messageEnds)
        self.sendBody(
            of: response,
            schedule ?? BodySchedule(length: response.bodyLength, timeline: timeline),
            gate: gate
        )
    }

    private func sendBody(of response: PlayableResponse, _ schedule: BodySchedule, gate: MessageGate?) {
        let sender = BodySender(
            response,
            schedule: schedule,
            threadPool: self.deck.threadPool,
            eventLoop: self.loop.eventLoop,
            stream: self.stream,
            gate: gate,
            sent: self.early?.size
        ) { ending in
            switch ending {
            case .complete:
                self.leave(response)
            case .notBegun(let error):
                self.answer(self.unreadable(error))
            case .brokenOff(let error):
                self.breakOff(response, error)
            }
            self.stream.goOn()
        }
        self.keep(sender)
        self.trace.begin()
        sender.begin()
    }

    /// All that there is of a response is sent.
    private func leave(_ response: PlayableResponse) {
        if let ending = response.ending {
            self.end(ending)
        } else {
            self.trace.begin()
            self.hang()
        }
    }

    /// The body of a response cannot be sent to its end.
    private func breakOff(_ response: PlayableResponse, _ error: any Error) {
        if error is ChannelError || error is IOError {
            self.trace.end(.abandoned)
        } else if let file = response.file?.file {
            self.deck.log.error("cannot play a body file", metadata: ["file": "\(file.path)", "error": "\(error)"])
        }
        self.end(.cut)
    }

    /// Sends the fault of a take, or of a live exchange, to the client.
    ///
    /// - Parameters:
    ///   - isOnTape: true if it is the fault of the take that the journal names.
    ///   - headIsOut: true if a part of a response was sent already.
    func playFault(_ failure: UpstreamFailure, isOnTape: Bool, headIsOut: Bool = false) {
        self.trace.fault(
            failure.fault,
            code: failure.options.code,
            isOnTape: isOnTape && failure.fault.gatewayStatus == nil
        )
        if self.request.isURLSession, !headIsOut, let answer = LocalResponse.fault(failure, self.shownLine) {
            self.noteAsMet(failure)
            self.send(answer)
            return
        }
        switch failure.fault.ending {
        case .gateway:
            guard let answer = LocalResponse.gateway(failure, self.shownLine) else { return }
            self.answer(answer)
        case .reset:
            self.end(.reset)
        case .streamReset:
            self.end(.streamReset(failure.code))
        case .goAwayRefused:
            self.end(.refused(failure.code, lastStream: failure.options.lastStream))
        // A response goes with the last two, and is sent by ``send(_:schedule:)``.
        case .cut, .goAway, .complete:
            self.end(.cut(failure.code))
        case .garbage:
            self.stream.sendGarbage()
            self.end(.cut)
        case .badFrame:
            self.stream.sendGarbage()
            self.end(.garbage)
        case .hang:
            self.hang()
        }
    }

    /// Makes the journal show the fault that any other client would have got: a URLSession gets it as text.
    private func noteAsMet(_ failure: UpstreamFailure) {
        if let answer = LocalResponse.gateway(failure, self.shownLine) {
            self.trace.answer(answer, isHead: self.client.isHead)
            return
        }
        let isReset = failure.fault.ending == .reset || failure.fault.ending == .streamReset
        self.trace.end(isReset ? .reset : .cut)
    }

    private func hang() {
        guard !self.loop.isStopping, !self.stream.hasFinishedSending else {
            self.stream.closeNow()
            return
        }
        let stream = self.stream
        self.keep(HangingAnswer { stream.closeNow() })
    }

    /// The answer in place of a take that cannot be read.
    func unreadable(_ error: any Error) -> LocalResponse {
        self.deck.log.error("cannot play a take", metadata: ["error": "\(error)"])
        return LocalResponse(
            status: 500,
            json: .object([
                ("error", .string("unreadableTake")),
                ("message", .string("Tapedeck has a take for this request but cannot play it: \(error)")),
            ])
        )
    }
}

extension ProxyContext {
    func logPlayed(_ play: Play, _ line: RequestLine, by session: Session) {
        let take = play.tape.takes[play.take]
        self.log.debug(
            "played a take",
            metadata: [
                "request": "\(session.shown(line))",
                "answer": "\(take.isFaultAlone ? take.fault?.rawValue ?? "" : String(take.status))",
            ]
        )
    }
}
