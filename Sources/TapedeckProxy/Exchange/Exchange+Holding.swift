import NIOCore
import TapedeckCore
import TapedeckSessions

/// From a request that is held to what becomes of it.
extension Exchange {
    /// Holds the request until it is released.
    ///
    /// - Parameter isWhole: true if the whole body has been read. If not, the rest waits on the socket until its
    ///   receiver is known.
    func hold(_ hold: Hold, hasWholeBody isWhole: Bool) {
        guard let collector = self.collector else { return }
        guard !self.loop.isStopping else {
            self.stream.closeNow()
            return
        }
        guard !self.stream.hasFinishedSending else {
            self.abandon()
            return
        }
        let promise = self.loop.eventLoop.makePromise(of: ParkedRequest.Release.self)
        let body = isWhole ? collector.observed() : nil
        let held = ParkedRequest(
            hold,
            entry: self.trace.held(),
            body: isWhole && !collector.isOverLimit ? collector.pieces : nil,
            matchRequest: MatchRequest(self.request.key, fields: self.request.fields, body: body),
            isHead: self.client.isHead,
            now: self.deck.configuration.now,
            promise: promise
        )
        let answer = HeldAnswer(held, of: self)
        self.keep(answer)
        self.holdBody(isWhole: isWhole)
        promise.futureResult.assumeIsolated().whenSuccess { release in
            // The client may have gone between the release and this.
            guard self.drop(answer), let isWhole = self.release() else { return }
            self.goOn(release, isWhole: isWhole)
            self.stream.goOn()
        }
        if !self.session.hold(held) { held.release(.sessionEnded) }
    }

    private func goOn(_ release: ParkedRequest.Release, isWhole: Bool) {
        switch release {
        case .decided(let decision):
            self.carryOut(decision, isWhole: isWhole)
        case .answer(let play, let names):
            self.trace.played(names)
            self.carryOut(Verdict.play(play), isWhole: isWhole)
        case .open(let answer, let names):
            self.trace.played(names)
            self.carryOut(Verdict.open(answer), isWhole: isWhole)
        case .sessionEnded:
            self.carryOut(Verdict.sessionEnded(isHeld: true), isWhole: isWhole)
        }
    }

    /// Begins an answer whose parts come later.
    func open(_ answer: OpenAnswer) {
        let sender = OpenAnswerSender(answer, of: self)
        self.keep(sender)
        sender.begin()
    }
}
