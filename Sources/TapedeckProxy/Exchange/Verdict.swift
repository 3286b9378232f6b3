import TapedeckCore
import TapedeckSessions

/// The action for a request of a session. ``RequestJudge`` decides, ``Exchange`` acts.
enum Verdict {
    // MARK: From the tape

    case play(Play)
    /// Nothing on tape answers. The session's policy may have an answer other than a 501.
    indirect case reject(UnmatchedReport, instead: Take?)
    /// A client of the control API decides about the answer.
    case hold(Hold)
    /// Somebody sends the answer part by part.
    case open(OpenAnswer)
    /// The answer depends on the body, which must be read first.
    case needsBody

    // MARK: From the origin

    /// The request is forwarded, after a delay in milliseconds.
    case forward(records: Bool, delay: Int)

    // MARK: Refused before forwarding

    /// The host is blocked, by this pattern.
    case block(pattern: String)
    /// The deck does not connect to where the origin is.
    case refuseTarget(TargetRefusal)
    /// The origin is the deck itself.
    case refuseLoop
    /// `Max-Forwards` ends here (RFC 9110 section 7.6.2).
    case answerAsLastHop
    /// The session has ended, and its recording with it.
    ///
    /// - isHeld: it did while it held the request.
    case sessionEnded(isHeld: Bool)

    init(_ decision: consuming Decision) {
        self =
            switch decision {
            case .play(let play): .play(play)
            case .reject(let report, let take): .reject(report, instead: take)
            case .hold(let hold): .hold(hold)
            case .forward(let records, let delay): .forward(records: records, delay: delay)
            }
    }
}

extension JournalEntry.Outcome {
    /// Creates the known part of the outcome when the verdict is decided.
    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .play(let play): .played(PlayedAnswer(play))
            case .reject(let report, _): .unmatched(report)
            case .hold, .open, .needsBody: .pending
            // Those that are refused say why in their turn.
            case .forward, .block, .refuseTarget, .refuseLoop, .answerAsLastHop, .sessionEnded:
                .forwarded(recorded: false)
            }
    }
}
