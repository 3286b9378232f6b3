import TapedeckCore

/// The state of an ``Exchange``, and all that can happen to it. Each event returns the one thing to be done.
///
///     reading ──▶ answering ──▶ ended
///       │  ▲          ▲
///       │  └─ held ───┤
///       └─▶ forwarding ──▶ ended
///
/// - `reading`: the body of the request is being read. It is dropped, or gathered for a verdict that depends on it.
/// - `held`: somebody is to say what comes. Where the body is not complete, the rest of it waits on the socket.
/// - `forwarding`: what comes goes to the origin.
/// - `answering`: the request is complete; an answer of the tape's or of Tapedeck's own is due or on its way.
struct ExchangeState {
    enum Phase {
        case reading(BodyUse)
        case held(hasWholeBody: Bool)
        case forwarding
        case answering
        case ended
    }

    /// The purpose of reading the body.
    enum BodyUse {
        /// Nothing; the verdict is carried out when it has ended.
        case nothing(then: Verdict)
        /// The verdict.
        case verdict
        /// Whoever lets the request go, as its hold says.
        case hold(Hold)
    }

    enum Action {
        case none
        /// The body is needed: it is gathered, and the client is asked for it.
        case gatherBody
        /// The body is not needed, and comes before the answer.
        case readBody
        /// The body goes on as it comes.
        case forward(records: Bool, delay: Int)
        /// The body that was gathered goes on, and then what comes.
        case forwardGathered(records: Bool, delay: Int, isWhole: Bool)
        case hold(Hold, hasWholeBody: Bool)
        /// The verdict is to be found, now that the body is known as far as it will be.
        case judge(isWhole: Bool)
        /// An answer is due.
        case answer(Verdict)
        /// The request is complete, and the origin is to know.
        case endForwarded
    }

    /// The action for a piece of the body.
    enum PieceAction {
        case drop
        case gather
        case forward
    }

    private(set) var phase: Phase = .reading(.verdict)

    // MARK: Request

    /// The verdict on the head of the request.
    mutating func begin(_ verdict: Verdict) -> Action {
        switch verdict {
        case .forward(let records, let delay):
            self.phase = .forwarding
            return .forward(records: records, delay: delay)
        case .hold(let hold):
            self.phase = .reading(.hold(hold))
            return .gatherBody
        case .needsBody:
            self.phase = .reading(.verdict)
            return .gatherBody
        case .play, .reject:
            self.phase = .reading(.nothing(then: verdict))
            return .readBody
        // Answered before the body is read.
        case .block, .refuseTarget, .refuseLoop, .answerAsLastHop, .sessionEnded:
            self.phase = .answering
            return .answer(verdict)
        }
    }

    /// A piece of the request's body has come.
    func bodyCame() -> PieceAction {
        switch self.phase {
        case .reading(.verdict), .reading(.hold): .gather
        case .forwarding: .forward
        case .reading(.nothing), .held, .answering, .ended: .drop
        }
    }

    /// More of the body has come than is gathered for a verdict.
    ///
    /// - Parameter mayForward: the verdict may be to ask the origin, which gets the body as it comes.
    func bodyIsTooLarge(mayForward: Bool) -> Action {
        guard case .reading(.verdict) = self.phase, mayForward else { return .none }
        return .judge(isWhole: false)
    }

    /// The request is complete.
    mutating func bodyEnded() -> Action {
        switch self.phase {
        case .reading(.nothing(let verdict)):
            self.phase = .answering
            return .answer(verdict)
        case .reading(.verdict):
            return .judge(isWhole: true)
        case .reading(.hold(let hold)):
            return .hold(hold, hasWholeBody: true)
        case .forwarding:
            return .endForwarded
        // Its body is not read, or its answer came before that.
        case .held, .answering, .ended:
            return .none
        }
    }

    /// The verdict that depended on the body, or on whoever let the request go.
    ///
    /// - Parameter isWhole: all of the body is there.
    mutating func judged(_ verdict: Verdict, isWhole: Bool) -> Action {
        switch verdict {
        case .hold(let hold):
            return .hold(hold, hasWholeBody: isWhole)
        case .forward(let records, let delay):
            self.phase = .forwarding
            return .forwardGathered(records: records, delay: delay, isWhole: isWhole)
        case .play, .reject, .needsBody, .sessionEnded:
            guard isWhole else {
                self.phase = .reading(.nothing(then: verdict))
                return .none
            }
        case .block, .refuseTarget, .refuseLoop, .answerAsLastHop:
            break
        }
        self.phase = .answering
        return .answer(verdict)
    }

    // MARK: Holding

    mutating func held(hasWholeBody: Bool) {
        self.phase = .held(hasWholeBody: hasWholeBody)
    }

    /// True while the rest of the body waits on the socket.
    var isHeld: Bool {
        if case .held = self.phase { true } else { false }
    }

    /// Somebody let the request go. Returns whether all of its body is there; `nil` where it is not held any more.
    mutating func released() -> Bool? {
        guard case .held(let isWhole) = self.phase else { return nil }
        self.phase = .answering
        return isWhole
    }

    // MARK: Ends

    /// The origin is not asked after all, or gave no answer: one of Tapedeck's own is due.
    mutating func leftOrigin() {
        self.phase = .answering
    }

    var hasEnded: Bool {
        if case .ended = self.phase { true } else { false }
    }

    /// The exchange is over. Returns `false` if it was before.
    mutating func end() -> Bool {
        guard !self.hasEnded else { return false }
        self.phase = .ended
        return true
    }
}
