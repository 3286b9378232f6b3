package import NIOCore
package import TapedeckCore
import TapedeckLocking

/// A request that waits until it is released. It is released once: by the caller that removes it from
/// ``ParkedRequests``.
package final class ParkedRequest: Sendable {
    /// The continuation of a released request.
    package enum Release: Sendable {
        /// As if it had never been held.
        case decided(Decision)
        /// With a given answer.
        indirect case answer(Play, PlayedAnswer.Names)
        /// With a head that somebody gave it, and a body that comes part by part.
        indirect case open(OpenAnswer, PlayedAnswer.Names)
        case sessionEnded
    }

    /// The reason why the answer of a request is no longer needed.
    private struct Withdrawn: Error {}

    let hold: Hold
    /// The journal's entry of the request when it was held, with its body if that was complete.
    package let entry: JournalEntry
    /// The body as received; `nil` if it is not complete, or longer than ``UsageLimits/heldBody``.
    private let pieces: [ByteBuffer]?
    /// The request for the tape.
    private let matchRequest: MatchRequest
    /// True if its answer has no body because it requests only the head.
    private let isHead: Bool
    /// The time of day, for what is played.
    private let now: @Sendable () -> Instant
    private let promise: EventLoopPromise<Release>
    /// The tape's decision, once it was made.
    private let decided = Locked<Decision?>(nil)

    /// - Parameters:
    ///   - body: as received; `nil` if it is not complete, or too long.
    ///   - promise: of the event loop of the connection that waits.
    package init(
        _ hold: Hold,
        entry: JournalEntry,
        body: [ByteBuffer]?,
        matchRequest: MatchRequest,
        isHead: Bool,
        now: @escaping @Sendable () -> Instant,
        promise: EventLoopPromise<Release>
    ) {
        self.hold = hold
        self.entry = entry
        self.pieces = body
        self.matchRequest = matchRequest
        self.isHead = isHead
        self.now = now
        self.promise = promise
    }

    /// Its number in the journal.
    package var number: Int { self.entry.number }

    /// True if the body is complete.
    package var hasWholeBody: Bool { self.pieces != nil }

    /// The whole body; `nil` if it is not complete, or longer than ``UsageLimits/heldBody``.
    package var body: JournalBody? {
        guard let pieces = self.pieces else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.readableBytes })
        for piece in pieces { piece.withUnsafeReadableBytes { bytes.append(contentsOf: $0) } }
        return JournalBody(bytes: bytes, length: bytes.count)
    }

    /// That of the connection that waits.
    var eventLoop: any EventLoop { self.promise.futureResult.eventLoop }

    /// The name of the set that holds it.
    package var set: String { self.hold.set }

    /// Returns the tape's decision. It is made once, so that takes advance once.
    func decision(by session: Session) -> Decision {
        // The session's state is locked inside this lock, never the other way round.
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
