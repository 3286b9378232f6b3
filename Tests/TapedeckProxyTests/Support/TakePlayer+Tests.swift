import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

@testable import TapedeckProxy

extension TakePlayer {
    /// A player that shares nothing.
    init(tape: Tape, threadPool: NIOThreadPool, eventLoop: any EventLoop) {
        let played = TapeResponses(tape, heavy: HeavyResponses(), secrets: DeckSecrets())
        self.init(tape: tape, played: played, threadPool: threadPool, eventLoop: eventLoop)
    }
}
