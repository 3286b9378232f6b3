import TapedeckCore

/// The state of an ``Exchange``, with all its events. Each event returns one action.
///
///     reading ──▶ answering ──▶ ended
///       │  ▲          ▲
///       │  └─ held ───┤
///       └─▶ forwarding ──▶ ended
///
/// - `reading`: the body of the request is being read. It is dropped, or collected for a verdict that depends on it.
/// - `held`: the request waits for its release. If the body is not complete, the rest of it waits on the socket.
/// - `forwarding`: the body goes to the origin.
/// - `answering`: the request is complete; an answer of the tape or of Tapedeck is due or in progress.
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
        /// Nothing; the verdict is carried out when the body has ended.
        case nothing(then: Verdict)
        /// The verdict.
        case verdict
        /// Its release, by its hold.
        case hold(Hold)
    }

    enum Action {
        case none
        /// The body is needed: it is collected, and the client is asked for it.
        case gatherBody
        /// The body is not needed, and comes before the answer.
        case readBody
        /// Forward the body as it arrives.
        case forward(records: Bool, delay: Int)
        /// Forward the collected body, and then the rest.
        case forwardGathered(records: Bool, delay: Int, isWhole: Bool)
        case hold(Hold, hasWholeBody: Bool)
        /// Find the verdict, now that the body is known as far as it will be.
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
        case .play, .reject, .open:
            self.phase = .reading(.nothing(then: verdict))
            return .readBody
        // Answered before the body is read.
        case .block, .refuseTarget, .refuseLoop, .answerAsLastHop, .sessionEnded:
            self.phase = .answering
            return .answer(verdict)
        }
    }

    /// An answer is due although more of the request comes.
    mutating func answerEarly(_ verdict: Verdict) -> Action {
        self.phase = .answering
        return .answer(verdict)
    }

    /// A piece of the request's body has come.
    func bodyCame() -> PieceAction {
        switch self.phase {
        case .reading(.verdict), .reading(.hold): .gather
        case .forwarding: .forward
        case .reading(.nothing), .held, .answering, .ended: .drop
        }
    }

    /// The body is not read, and no answer comes.
    mutating func leaveBody() {
        self.phase = .held(hasWholeBody: false)
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

    /// The verdict that depended on the body, or on a release.
    ///
    /// - Parameter isWhole: true if the body is complete.
    mutating func judged(_ verdict: Verdict, isWhole: Bool) -> Action {
        switch verdict {
        case .hold(let hold):
            return .hold(hold, hasWholeBody: isWhole)
        case .forward(let records, let delay):
            self.phase = .forwarding
            return .forwardGathered(records: records, delay: delay, isWhole: isWhole)
        case .play, .reject, .open, .needsBody, .sessionEnded:
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

    /// The request is released. Returns true if its body is complete; `nil` if it is no longer held.
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
