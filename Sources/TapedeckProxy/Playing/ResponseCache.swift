import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// The players of all tapes that are played on one event loop. Tapes come and go with sessions and with the files that
/// they were read from, and what was made of one goes soon after it.
final class ResponseCache {
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    private let secrets: DeckSecrets
    private let heavy = HeavyResponses()
    /// By the serial number of their tape; the last one used is separate.
    private var played: [Int: TapeResponses] = [:]
    private var last: TapeResponses?
    /// The number of entries at which those with a released tape are removed.
    private var sweepAt = ResponseCache.leastSweep
    private static let leastSweep = 4
    /// Tapes at a time; sessions with response sets of their own need one each. 1,024.
    private static let limit = 1_024

    init(threadPool: NIOThreadPool, eventLoop: any EventLoop, secrets: DeckSecrets = DeckSecrets()) {
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.secrets = secrets
    }

    func player(for tape: Tape) -> TakePlayer {
        TakePlayer(tape: tape, played: self.takes(of: tape), threadPool: self.threadPool, eventLoop: self.eventLoop)
    }

    /// For how many tapes something is kept.
    var count: Int { self.played.count }

    private func takes(of tape: Tape) -> TapeResponses {
        if let last = self.last, last.serial == tape.serial { return last }
        let found = self.played[tape.serial] ?? self.begin(tape)
        self.last = found
        return found
    }

    private func begin(_ tape: Tape) -> TapeResponses {
        if self.played.count >= self.sweepAt {
            self.last = nil
            self.played = self.played.filter { !$0.value.isStale }
            if self.played.count >= Self.limit { self.played.removeAll() }
            // Twice as many, so that a sweep costs each new tape next to nothing.
            self.sweepAt = min(Self.limit, max(Self.leastSweep, self.played.count * 2))
        }
        let made = TapeResponses(tape, heavy: self.heavy, secrets: self.secrets)
        self.played[tape.serial] = made
        return made
    }
}

@available(*, unavailable)
extension ResponseCache: Sendable {}
