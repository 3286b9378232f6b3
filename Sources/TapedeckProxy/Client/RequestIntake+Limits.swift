import Logging
import NIOCore
import TapedeckCore
import TapedeckSessions

/// The limits of a connection and its requests.
extension RequestIntake {
    /// Marks a connection beyond the limit: its first request gets the refusal, and an idle one is closed.
    func limitExcess(_ channel: any Channel) {
        guard self.place.isExcess else { return }
        // A sixth of the time that others have: 10 s.
        let time = TimeAmount.nanoseconds(self.deck.configuration.headTimeout.nanoseconds / 6)
        channel.eventLoop.scheduleTask(in: self.place.isHopeless ? .zero : time) {
            channel.close(promise: nil)
        }
    }

    /// The answer to any request of a connection beyond the limit.
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

    /// Returns the reason why a passed-through tunnel is refused by a limit. The refusal must come before TLS.
    func tunnelExcess(_ session: Session) -> LimitRefusal? { self.excess ?? self.joinRefusal(session) }

    private var excess: LimitRefusal? {
        guard self.place.isExcess else { return nil }
        let limit = self.deck.sessions.meter.limits.connections
        return LimitRefusal(kind: .tooManyConnections, session: nil, limit: limit)
    }

    /// Assigns the connection to the session; returns the refusal if that has too many.
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

    /// Returns the answer to a request of a session or deck that has too many unanswered requests. It only compares
    /// numbers: most requests are answered at once, and the others take a slot with their ``ExchangeTrace``. So with
    /// several event loops there may briefly be one more per loop.
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
                pathStart: self.target.pathStart,
                stream: self.stream
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
