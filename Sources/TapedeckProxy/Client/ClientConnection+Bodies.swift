import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Who takes the body of a request.
enum BodySink {
    /// Nobody needs it; what is to be done is known and is done when the body has ended.
    case discard
    /// Nobody needs it, and the answer is Tapedeck's own.
    case answer(OwnAnswer, ClientAbilities)
    /// The answer depends on it.
    case collect(BodyCollector)
    /// The request is held once it has ended.
    case hold(Hold, BodyCollector)
    /// The request is held: nobody takes more of it until it is let go.
    case held
    case forward(ForwardedExchange)
}

/// From the body of a request to its answer.
extension ClientConnection {
    func takeBody(_ bytes: ByteBuffer) {
        self.trace?.requestBody(bytes)
        switch self.bodySink {
        case .discard, .answer, .held:
            break
        case .hold(_, let collector):
            collector.add(bytes)
        case .collect(let collector):
            collector.add(bytes)
            if collector.isOverLimit, let request = self.request,
                request.session.mayDialOut || request.passing != nil
            {
                self.decide(collector, isComplete: false)
            }
        case .forward(let exchange):
            exchange.sendBody(bytes)
        }
    }

    func endBody(trailers: [HeaderField]) {
        self.trace?.endRequest()
        switch self.bodySink {
        case .discard:
            guard let decision = self.pendingDecision, let request = self.request else { return }
            self.pendingDecision = nil
            self.carryOut(decision, for: request)
        case .answer(let answer, let client):
            self.answer(answer, for: client)
        case .collect(let collector):
            self.decide(collector, isComplete: true)
        case .hold(let hold, let collector):
            self.hold(hold, collector, body: collector.observed(), isComplete: true)
        // Its body is not read.
        case .held:
            break
        case .forward(let exchange):
            exchange.endBody(trailers: trailers)
            self.leaveDelayedExchange()
        }
    }

    /// Decides with what is known of the body: all of it, or, in a mode that may have to pass it on, as much as
    /// memory should hold.
    private func decide(_ collector: BodyCollector, isComplete: Bool) {
        guard let request = self.request else { return }
        let body = isComplete ? collector.observed() : nil
        let decision = request.session.answer(self.key, body: body, passesUnlessOnTape: request.passing != nil) {
            collector.fields
        }
        if case .hold(let hold) = decision {
            self.hold(hold, collector, body: body, isComplete: isComplete)
            return
        }
        self.trace?.outcome(JournalEntry.Outcome(decision))
        self.carryOut(decision, for: request, collector, isComplete: isComplete)
    }

    /// Does what was decided about a request whose body, or as much of it as was read, is in `collector`.
    func carryOut(_ decision: Decision, for request: ClientRequest, _ collector: BodyCollector, isComplete: Bool) {
        if case .forward(let records, let delay) = decision {
            guard !isComplete || !collector.isOverLimit else {
                // It was read for a session that asked no origin, and while it was held that has changed.
                self.refuse(
                    MalformedMessage("its body is longer than Tapedeck keeps of a request it holds", status: 413)
                )
                return
            }
            self.forward(request, fields: collector.fields, records: records, delay: delay)
            guard let exchange = self.exchange else { return }
            for piece in collector.pieces { exchange.sendBody(piece) }
            if isComplete {
                exchange.endBody(trailers: [])
                self.leaveDelayedExchange()
            }
        } else if isComplete {
            self.carryOut(decision, for: request)
        } else {
            self.bodySink = .discard
            self.pendingDecision = decision
        }
    }

    private func carryOut(_ decision: Decision, for request: ClientRequest) {
        switch decision {
        case .play(let play):
            self.play(play, for: request.client)
        case .reject(let report, let take):
            self.logUnmatched(report)
            if let take {
                self.play(instead: take, for: request.client)
            } else {
                self.answer(.unmatched(report), for: request.client)
            }
        case .forward: break  // begun with the head
        case .hold: break  // held when the body had ended
        }
    }
}
