package import NIOCore
package import TapedeckCore
import TapedeckLocking

/// A request that waits until somebody lets it go. It is let go once: by whoever takes it out of ``ParkedRequests``.
package final class ParkedRequest: Sendable {
    /// How a request goes on that is let go.
    package enum Release: Sendable {
        /// As if it had never been held.
        case decided(Decision)
        /// With an answer that somebody gave it.
        indirect case answer(Play, PlayedAnswer.Names)
        case sessionEnded
    }

    /// Why nobody waits for the answer of a request any more.
    private struct Withdrawn: Error {}

    let hold: Hold
    /// The request as the journal had it when it was held, with its body where all of that has come.
    package let entry: JournalEntry
    /// The request for the tape.
    private let matchRequest: MatchRequest
    /// True if its answer has no body because it requests only the head.
    private let isHead: Bool
    /// The time of day, for what is played.
    private let now: @Sendable () -> Instant
    private let promise: EventLoopPromise<Release>
    /// The tape's decision, once it was made.
    private let decided = Locked<Decision?>(nil)

    /// - Parameter promise: of the event loop of the connection that waits.
    package init(
        _ hold: Hold,
        entry: JournalEntry,
        matchRequest: MatchRequest,
        isHead: Bool,
        now: @escaping @Sendable () -> Instant,
        promise: EventLoopPromise<Release>
    ) {
        self.hold = hold
        self.entry = entry
        self.matchRequest = matchRequest
        self.isHead = isHead
        self.now = now
        self.promise = promise
    }

    /// Its number in the journal.
    package var number: Int { self.entry.number }

    /// The name of the set that holds it.
    package var set: String { self.hold.set }

    /// Returns the tape's decision. It is made once, so that takes advance once.
    func decision(by session: Session) -> Decision {
        // The session's state is asked within this lock. Nothing that holds the state ever asks for this one.
        self.decided.withLock { decided in
            if let decided { return decided }
            let made = session.answer(held: self.matchRequest)
            decided = made
            return made
        }
    }

    /// Returns the client's answer by ``decision(by:)``. Reads files: not for an event loop.
    ///
    /// - Throws: when the answer cannot be played.
    func tapeAnswer(by session: Session) throws -> TapeAnswer {
        try TapeAnswer(self.decision(by: session), isHead: self.isHead, now: self.now(), secrets: session.secrets)
    }

    // MARK: Ends

    package func release(_ release: Release) {
        self.promise.succeed(release)
    }

    /// The client is gone.
    func withdraw() {
        self.promise.fail(Withdrawn())
    }
}
