import Logging
import NIOCore
import TapedeckCore
import TapedeckSessions

/// The limits of a connection and its requests.
extension RequestIntake {
    /// A connection beyond the limit is told so when it asks for something, and does not stay to wait for that.
    func limitExcess(_ channel: any Channel) {
        guard self.place.isExcess else { return }
        // A sixth of the time that others have: 10 s.
        let time = TimeAmount.nanoseconds(self.deck.configuration.headTimeout.nanoseconds / 6)
        channel.eventLoop.scheduleTask(in: self.place.isHopeless ? .zero : time) {
            channel.close(promise: nil)
        }
    }

    /// The answer to whatever the client asks, where its connection is one too many.
    var excessOutcome: Outcome? {
        guard self.place.isExcess, let refusal = self.excess else { return nil }
        self.loop.metrics.count(.none, .refused, microseconds: nil)
        return self.turnAway(refusal)
    }

    /// The answer to a request, or to a CONNECT, of a session that has too many connections.
    func connectionOutcome(_ session: Session) -> Outcome? {
        guard let refusal = self.joinRefusal(session) else { return nil }
        self.loop.metrics.count(session.countedMode, .refused, microseconds: nil)
        return self.turnAway(refusal)
    }

    /// Why TLS that nobody here takes part in is not passed on for a session: there is no answer that could be given.
    func tunnelExcess(_ session: Session) -> LimitRefusal? { self.excess ?? self.joinRefusal(session) }

    private var excess: LimitRefusal? {
        guard self.place.isExcess else { return nil }
        let limit = self.deck.sessions.meter.limits.connections
        return LimitRefusal(kind: .tooManyConnections, session: nil, limit: limit)
    }

    /// Makes the connection the session's; why not, where it has too many.
    private func joinRefusal(_ session: Session) -> LimitRefusal? {
        guard !self.place.join(session.meter) else { return nil }
        session.noteRefused()
        let limit = session.meter.connections.limit
        return LimitRefusal(kind: .tooManyConnections, session: session.id, limit: limit)
    }

    private func turnAway(_ refusal: LimitRefusal) -> Outcome {
        self.deck.log.notice("refused a connection", metadata: ["reason": "\(refusal.reason)"])
        return .turnAway(refusal.answer)
    }

    /// The answer to a request of a session that has too many of them under way, or on a deck that has. It looks once and
    /// takes nothing: most requests are answered at once and are never under way, and those that are take their slot
    /// with their ``ExchangeTrace``. So with several event loops there may be one more per loop, for that moment.
    ///
    /// - Parameter bytes: the head.
    func requestOutcome(_ session: Session, _ bytes: UnsafeRawBufferPointer) -> Outcome? {
        guard let full = session.meter.requests.full else { return nil }
        let refusal =
            switch full {
            case .own:
                LimitRefusal(kind: .tooManyRequests, session: session.id, limit: session.meter.requests.limit)
            case .whole:
                LimitRefusal(kind: .tooManyRequests, session: nil, limit: session.meter.deck.limits.requests)
            }
        session.noteRefused()
        self.loop.metrics.count(session.countedMode, .refused, microseconds: nil)
        session.journal.add(
            JournalRequest(
                head: Array(bytes),
                origin: self.origins.origin ?? Self.noOrigin,
                pathStart: self.target.pathStart
            ),
            at: .now,
            body: .empty,
            outcome: .refused(reason: refusal.reason),
            microseconds: 0,
            ending: .complete
        )
        return .answer(refusal.answer)
    }
}
