package import TapedeckCore
import TapedeckLocking

/// Calls of gRPC, which are answered before their requests are complete.
extension Session {
    /// True if a part of an answer on tape comes before the whole request.
    package var answersEarly: Bool { self.state.withLock { $0.answersEarly } }

    /// Returns the decision on a call by its messages so far; see ``SessionState/earlyAnswer(_:sent:)``.
    ///
    /// - Parameters:
    ///   - body: the whole messages so far.
    ///   - sent: the number of messages of the answer that have been sent.
    package func earlyAnswer(_ key: RequestKey, body: ObservedBody, fields: [HeaderField], sent: Int) -> EarlyAnswer {
        let matchRequest = self.matchRequest(key, body: body, fields: fields)
        if let answer = self.state.withLock({ $0.earlyAnswer(matchRequest, sent: sent) }) { return answer }
        return self.varyingMayGoOn(matchRequest) ? .wait : .decide
    }

    /// Returns true if a call goes on as the set says that answers it; see
    /// ``SessionState/goesOn(_:_:after:isWhole:)``.
    ///
    /// - Parameters:
    ///   - messages: those after the first `count`, in their frames.
    ///   - isWhole: true if no more messages are to come.
    package func goesOn(
        _ play: Play,
        _ key: RequestKey,
        messages: [UInt8],
        fields: [HeaderField],
        after count: Int,
        isWhole: Bool
    ) -> Bool {
        let body = ObservedBody(bytes: messages, sha256: "")
        let matchRequest = self.matchRequest(key, body: body, fields: fields)
        return self.state.withLock { $0.goesOn(play, matchRequest, after: count, isWhole: isWhole) }
    }

    /// Notes a call as unmatched of whose answer another set sent the beginning.
    package func noteOtherAnswer(_ key: RequestKey, fields: [HeaderField]) -> UnmatchedReport {
        self.noteMiss(MatchRequest(key, fields: fields, body: nil), .otherAnswer)
    }

    private func matchRequest(_ key: RequestKey, body: ObservedBody, fields: [HeaderField]) -> MatchRequest {
        var matchRequest = MatchRequest(key, fields: fields, body: body)
        let asking = self.state.withLock { $0.asksForSecrets(key) ? $0.tapes : nil }
        if let tapes = asking { matchRequest.redacted = self.secrets.redacted(matchRequest, tapes) }
        return matchRequest
    }
}
