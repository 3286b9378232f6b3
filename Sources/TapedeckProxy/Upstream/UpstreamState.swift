import TapedeckCore

/// The state of an ``UpstreamConnection``, and all that can happen to it. Each event returns the one thing to be done.
///
///     idle ──▶ head ──▶ body ──▶ idle …      one exchange at a time
///               │         │
///               │         └──▶ closed
///               └─ 101 ──▶ opaque ──▶ closed
struct UpstreamState {
    enum Phase {
        /// Between two exchanges.
        case idle
        /// A request was sent or is being sent; the head of the final response has not come.
        case head
        case body
        /// Bytes are bytes.
        case opaque(any OpaquePeer)
        case closed
    }

    enum ReadAction {
        case parse
        case pass(any OpaquePeer)
        /// Unexpected bytes: the connection cannot be reused (RFC 9112 section 9.2).
        case close
    }

    enum InterimAction: Equatable {
        case deliver
        /// The response is malformed, for a reason.
        case fail(String)
    }

    /// The action on the connection at the end of a response.
    enum EndAction {
        case giveBack
        case close
        /// It is closed already.
        case none
    }

    enum CloseAction {
        case none
        /// The head is missing.
        case failHead
        /// The body may end so.
        case endBody
        case close(any OpaquePeer)
    }

    /// 1xx responses to one request.
    private static let interimLimit = 32

    private(set) var phase: Phase = .idle
    /// A byte of the present response has come.
    private(set) var hasAnswered = false
    /// True once the whole current request was sent.
    private(set) var requestIsComplete = false
    private var interimCount = 0
    private var keepsAlive = true
    /// The number of requests that the connection has carried.
    private var uses = 0

    /// True if another request can be sent on it.
    var isIdle: Bool {
        if case .idle = self.phase { self.keepsAlive } else { false }
    }

    /// True if it carried a request before, and gave not a byte for this one.
    var failsOnReuse: Bool { self.uses > 1 && !self.hasAnswered }

    /// True while it has an unfinished request.
    var isInUse: Bool {
        switch self.phase {
        case .head, .body: true
        case .idle, .opaque, .closed: false
        }
    }

    // MARK: Request

    mutating func requestBegan() {
        self.phase = .head
        self.uses += 1
        self.hasAnswered = false
        self.interimCount = 0
        self.requestIsComplete = false
    }

    mutating func requestEnded() {
        self.requestIsComplete = true
    }

    // MARK: Response

    mutating func bytesCame() -> ReadAction {
        switch self.phase {
        case .opaque(let peer): return .pass(peer)
        case .idle, .closed: return .close
        case .head, .body:
            self.hasAnswered = true
            return .parse
        }
    }

    /// A 1xx response that switches to no other protocol, or does so unasked.
    mutating func interimCame(status: Int) -> InterimAction {
        self.interimCount += 1
        if status == 101 { return .fail("it switches protocols unasked") }
        return self.interimCount <= Self.interimLimit ? .deliver : .fail("1xx responses do not end")
    }

    /// The head of the final response.
    ///
    /// - Parameter keepsAlive: the connection can carry another exchange after this one.
    mutating func headCame(keepsAlive: Bool) {
        self.keepsAlive = keepsAlive
        self.phase = .body
    }

    /// The response is complete.
    ///
    /// - Parameter hasMore: true if unexpected bytes followed.
    mutating func responseEnded(hasMore: Bool) -> EndAction {
        if case .closed = self.phase { return .none }
        self.phase = .idle
        return self.keepsAlive && self.requestIsComplete && !hasMore ? .giveBack : .close
    }

    mutating func upgraded(to peer: any OpaquePeer) {
        self.phase = .opaque(peer)
    }

    // MARK: Ends

    /// It is closed by us.
    mutating func close() {
        self.phase = .closed
    }

    /// It is gone.
    mutating func wentAway() -> CloseAction {
        defer { self.phase = .closed }
        switch self.phase {
        case .head: return .failHead
        case .body: return .endBody
        case .opaque(let peer): return .close(peer)
        case .idle, .closed: return .none
        }
    }

    /// The end of the connection ended the body, as it may.
    mutating func bodyEndedAtClose() {
        self.keepsAlive = false
    }
}
