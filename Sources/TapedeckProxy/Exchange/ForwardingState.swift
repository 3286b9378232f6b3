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
        /// It is sent again.
        ///
        /// - fresh: on a new connection.
        case retry(fresh: Bool)
        /// The client sees the failure.
        ///
        /// - headIsOut: true if a part of a response was sent to it.
        case show(headIsOut: Bool)
    }

    enum CancelAction: Equatable {
        case none
        /// - during: the phase that ends with it.
        case stop(during: Phase)
    }

    /// RFC 9110 section 9.2.2.
    private static let idempotentMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    private(set) var phase: Phase = .connecting
    /// True once a part of the request's body was sent to the origin that cannot be sent again.
    private var bodyIsGone = false
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

    /// A part of the body was sent that cannot be sent again.
    mutating func bodyWentOut() {
        self.bodyIsGone = true
    }

    mutating func requestEnded() {
        self.requestIsComplete = true
    }

    mutating func answerBegan() {
        self.phase = .answering
    }

    /// The origin could not be reached, or broke off.
    ///
    /// - Parameter resending: see ``ResponseReceiver/fail(_:_:)``.
    mutating func failed(_ resending: Resending, method: String) -> FailureAction {
        switch self.phase {
        case .done:
            return .none
        // Once: an origin may refuse it again and again.
        case .sending where !self.hasRetried && !self.bodyIsGone && Self.allows(resending, method):
            self.hasRetried = true
            self.phase = .connecting
            return .retry(fresh: resending == .idempotent)
        case .connecting, .sending:
            return .show(headIsOut: false)
        case .answering:
            return .show(headIsOut: true)
        }
    }

    private static func allows(_ resending: Resending, _ method: String) -> Bool {
        switch resending {
        case .none: false
        case .idempotent: Self.idempotentMethods.contains(method)
        case .any: true
        }
    }

    /// The client is gone, or cannot be understood any more.
    mutating func cancelled() -> CancelAction {
        guard self.phase != .done else { return .none }
        defer { self.phase = .done }
        return .stop(during: self.phase)
    }

    /// It is over. Returns `false` if it was before.
    mutating func end() -> Bool {
        guard self.phase != .done else { return false }
        self.phase = .done
        return true
    }
}
