import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// Requests whose values vary from run to run.
extension Session {
    private func varying(_ request: MatchRequest) -> (request: SessionState.VaryingRequest, index: VariationIndex)? {
        guard !self.rules.isExact, let request = self.state.withLock({ $0.varying(request) }) else { return nil }
        if let index = self.variations.withLock({ $0 }), index.serial == request.tape.serial { return (request, index) }
        // Made without the lock, as it takes time in proportion to the tape.
        let index = VariationIndex(request.tape, self.rules.surroundings)
        self.variations.withLock { $0 = index }
        return (request, index)
    }

    private var run: VaryingRun {
        let offset = self.rules.clockOffset
        let now = Instant.now.advanced(byMilliseconds: offset)
        return VaryingRun(
            now: now,
            start: self.created.advanced(byMilliseconds: offset),
            zone: LocalZone.minutes(at: Int(now.seconds)),
            surroundings: self.rules.surroundings
        )
    }

    func varyingNeedsBody(_ request: MatchRequest) -> Bool {
        self.varying(request).map { $0.request.needsBody(self.run, $0.index, learns: self.rules.learns) } ?? false
    }

    /// Returns true for a call whose messages so far begin one on tape, but for values that vary, and whose answer waits for
    /// all of them.
    func varyingMayGoOn(_ request: MatchRequest) -> Bool {
        self.varying(request).map { $0.request.mayGoOn(self.run, $0.index, learns: self.rules.learns) } ?? false
    }

    /// Answers an unmatched request that is on tape with other values of a kind that varies from run to run. Compares without
    /// the lock.
    func answerVarying(_ request: MatchRequest) -> Play? {
        guard let (varying, index) = self.varying(request),
            let variation = varying.variation(self.run, index)
        else { return nil }
        return self.state.withLock { $0.answer(variation) }
    }

    /// Answers an unmatched request as the recorded one that it resembles, and learns what varies. Compares without the lock.
    func answerLearning(_ request: MatchRequest) -> Play? {
        guard self.rules.learns, let (varying, index) = self.varying(request),
            let lesson = varying.lesson(self.run, index)
        else { return nil }
        return self.state.withLock { $0.answer(lesson) }
    }

    /// Tells a miss which differences are of values that vary; `nil` if all are compared exactly.
    func varyingParts(_ state: SessionState) -> VaryingParts? {
        self.rules.isExact ? nil : VaryingParts(self.run, state.bindings)
    }
}
