import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy

extension Deck {
    /// Puts changed cassettes in the place of those that are playing, and says so.
    static func replay(
        _ change: CassetteChange,
        _ configuration: DeckConfiguration,
        selection: DeckSelection,
        in session: Session,
        log: Logger
    ) {
        switch change {
        case .reloaded(let cassettes, let paths):
            session.replaceTape(Tape(configuration.prepared(cassettes)))
            log.notice("reloaded \(paths.joined(separator: ", "))")
            for problem in selection.reapply(to: session) {
                log.warning("what was selected is gone: \(problem)")
            }
        case .unusable(let path, let problem):
            log.warning("\(path) has changed and cannot be used; playing on with what was there before\n\(problem)")
        case .missing(let path):
            log.warning("\(path) is gone; playing on with what was there before")
        }
    }
}
