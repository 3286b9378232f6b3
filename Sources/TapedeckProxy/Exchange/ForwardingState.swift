/// The state of a ``ForwardedExchange``, and all that can happen to it.
///
///     connecting ──▶ sending ──▶ answering ──▶ done
///          ▲│            │           │          ▲
///          └┼─ sent again┤           │          │
///           └────────────┴───────────┴── failed ┘
struct ForwardingState {
    enum Phase {
        case connecting
        case sending
        case answering
        case done
    }

    enum FailureAction: Equatable {
        /// It is over already.
        case none
        /// It is sent again, on a new connection.
        case retry
        /// The client sees the failure.
        ///
        /// - headIsOut: true if a part of a response was sent to it.
        case show(headIsOut: Bool)
    }

    enum CancelAction: Equatable {
        case none
        /// - isAnswered: the request was complete, and its answer on the way.
        case stop(isAnswered: Bool)
    }

    /// RFC 9110 section 9.2.2.
    private static let idempotentMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    private(set) var phase: Phase = .connecting
    /// True once a part of the request's body was sent to the origin.
    private var hasSentBody = false
    /// It was sent again.
    private var hasRetried = false
    /// All of the request has come.
    private(set) var requestIsComplete = false

    /// The connection is established. Returns `false` if it is no longer needed.
    mutating func connected() -> Bool {
        guard self.phase == .connecting else { return false }
        self.phase = .sending
        return true
    }

    mutating func sentBody() {
        self.hasSentBody = true
    }

    mutating func requestEnded() {
        self.requestIsComplete = true
    }

    mutating func answerBegan() {
        self.phase = .answering
    }

    /// The origin could not be reached, or broke off.
    ///
    /// - Parameter onReused: see ``ResponseReceiver/fail(_:onReused:)``.
    mutating func failed(onReused: Bool, method: String) -> FailureAction {
        switch self.phase {
        case .done:
            return .none
        // RFC 9112 section 9.3.1: only an idempotent request is sent again, once, and only one that has no body that is gone.
        case .sending
        where onReused && !self.hasRetried && !self.hasSentBody && Self.idempotentMethods.contains(method):
            self.hasRetried = true
            self.phase = .connecting
            return .retry
        case .connecting, .sending:
            return .show(headIsOut: false)
        case .answering:
            return .show(headIsOut: true)
        }
    }

    /// The client is gone, or cannot be understood any more.
    mutating func cancelled() -> CancelAction {
        guard self.phase != .done else { return .none }
        let isAnswered = self.phase == .answering && self.requestIsComplete
        self.phase = .done
        return .stop(isAnswered: isAnswered)
    }

    /// It is over. Returns `false` if it was before.
    mutating func end() -> Bool {
        guard self.phase != .done else { return false }
        self.phase = .done
        return true
    }
}
