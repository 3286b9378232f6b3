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
        var matchRequest = MatchRequest(key, fields: fields, body: body)
        let asking = self.state.withLock { $0.asksForSecrets(key) ? $0.tapes : nil }
        if let tapes = asking { matchRequest.redacted = self.secrets.redacted(matchRequest, tapes) }
        return self.state.withLock { $0.earlyAnswer(matchRequest, sent: sent) }
    }
}
