import NIOCore
import TapedeckCore
import TapedeckSessions

/// From a request that is held to what becomes of it.
extension ClientConnection {
    /// Holds a request until somebody lets it go.
    ///
    /// - Parameters:
    ///   - collector: what was read of its body.
    ///   - body: the same, as the tape may ask about it.
    ///   - isComplete: whether that is all of the body. If not, the rest waits on the socket, and is read when it is
    ///     known where to put it.
    func hold(_ hold: Hold, _ collector: BodyCollector, body: ObservedBody?, isComplete: Bool) {
        guard let request = self.request, let trace = self.trace else { return }
        guard !self.loop.isStopping else {
            self.closeNow()
            return
        }
        guard !self.inputClosed else {
            self.abandonAnswer()
            return
        }
        let promise = self.loop.eventLoop.makePromise(of: HeldRequest.Release.self)
        let held = HeldRequest(
            hold,
            entry: trace.held(),
            inquiry: Inquiry(self.key, fields: collector.fields, body: body),
            isHead: request.client.isHead,
            now: self.deck.configuration.now,
            promise: promise
        )
        let answer = HeldAnswer(held, of: request.session, connection: self)
        self.underWay = answer
        self.bodySink = .held
        promise.futureResult.assumeIsolated().whenSuccess { release in
            // The client may have gone between the release and this.
            guard self.underWay === answer else { return }
            self.underWay = nil
            self.goOn(release, request, collector, isComplete: isComplete)
            self.goOn()
        }
        if !request.session.hold(held) { held.release(.sessionEnded) }
    }

    private func goOn(
        _ release: HeldRequest.Release,
        _ request: ClientRequest,
        _ collector: BodyCollector,
        isComplete: Bool
    ) {
        switch release {
        case .decided(let decision):
            self.trace?.outcome(JournalEntry.Outcome(decision))
            self.carryOut(decision, for: request, collector, isComplete: isComplete)
        case .answer(let play, let names):
            self.trace?.played(names)
            self.carryOut(.play(play), for: request, collector, isComplete: isComplete)
        case .sessionEnded:
            self.trace?.outcome(.refused(reason: "the session ended while it held the request"))
            let refusal = SessionRefusal.ended(request.session.id).answer
            if isComplete {
                self.answer(refusal, for: request.client)
            } else {
                self.bodySink = .answer(refusal, request.client)
            }
        }
    }
}
