import Logging
import TapedeckCassettes
import TapedeckSessions

extension Deck {
    /// Has sessions play a changed cassette, and says so.
    static func take(_ change: CassetteChange, into sessions: SessionDirectory, log: Logger) {
        switch change {
        case .reloaded(let paths):
            log.notice("reloaded \(paths.joined(separator: ", "))")
            sessions.cassettesChanged(Set(paths))
        case .unusable(let path, let problem):
            log.warning("\(path) has changed and cannot be used; playing on with what was there before\n\(problem)")
        case .missing(let path):
            log.warning("\(path) is gone; playing on with what was there before")
        }
    }
}
