import TapedeckCore
import TapedeckSessions

/// The state of a ``ClientConnection``, and all that can happen to it. Each event returns the one thing to be done.
///
///     head ──▶ body ──▶ answering ──▶ head …        a request at a time; pipelined ones wait as bytes
///       │
///       └─ CONNECT ──▶ tunnelStart ──▶ head (plain HTTP) │ head behind TLS
///                └───▶ dialling ──▶ opaque                a tunnel that is passed through
///
///     proxyStart ──▶ head │ socks ──▶ tunnelStart │ head behind TLS
///     transparentStart ──▶ head (plain HTTP) │ head behind TLS │ dialling ──▶ opaque
///
///     the first head ──▶ handedOver                       the client speaks HTTP/2
///     any of them ──▶ closing
///
/// - `head`, `body`: bytes are being parsed.
/// - `answering`: the request is complete, its answer is not; what the client sends meanwhile waits.
/// - `dialling`: the origin of a tunnel is being connected to; what the client sends meanwhile waits.
/// - `opaque`: bytes are passed to the peer as they are (an upgraded connection, or a tunnel that is passed through).
/// - `closing`: the last answer is out; what still comes in is read and dropped, since closing a socket with unread
///   bytes would reset it and could take the answer along (RFC 9112 section 9.6).
struct ClientConnectionState {
    enum Phase {
        /// The protocol between client and proxy is not known yet.
        case proxyStart
        /// A SOCKS client requests a tunnel.
        case socks(SOCKSHandshake)
        case head
        case body
        case answering
        case dialling
        /// With the session of the CONNECT; there may be none for Tapedeck's own site.
        case tunnelStart(Origin, Session?)
        /// The client's protocol is not known yet.
        case transparentStart(TransparentPort)
        case opaque(any OpaquePeer)
        /// Another handler has the connection, which speaks HTTP/2.
        case handedOver
        case closing
    }

    enum ReadAction {
        case parse
        case pass(any OpaquePeer)
        case drop
    }

    enum FinishAction: Equatable {
        case nextRequest
        /// - atOnce: nothing unread can be left that a close would reset.
        case close(atOnce: Bool)
        case cut
        case reset
    }

    enum InputClosedAction {
        case none
        /// Requests that came whole before are answered; half a one never will be whole.
        case parse
        case close
        /// The rest of the body will never come.
        case abandon
        /// The client may wait for its answer, or be gone.
        case tellExchange
        case finish(any OpaquePeer)
    }

    enum StopAction {
        /// The last answer may not be out yet. Nothing unread waits, so no reset can chase it.
        case closeWhenWritten
        case closeNow
        case finishBoth(any OpaquePeer)
        /// Send the current answer without further delays.
        case hurry
    }

    enum LateAction {
        case none
        case refuse
        case close
        /// The client does not read its answers, so its next request is not read.
        case waitOn
    }

    /// The maximum number of unparsed bytes before the client is no longer read.
    private static let pendingLimit = 256 << 10

    private(set) var phase: Phase
    /// True once the client has ended its output.
    private(set) var inputIsClosed = false
    /// The connection ends after the current answer.
    private(set) var isStopping = false
    private var readIsHeld = false
    /// The last answer is out, and as far as can be known nothing unread waits: a close would reset nothing.
    private var closesCleanly = false
    /// The client's socket has taken all of the last answer, and the connection waits for the client to close its side.
    private var lastAnswerIsWritten = false

    init(_ phase: Phase = .head) {
        self.phase = phase
    }

    // MARK: Reading

    mutating func bytesCame() -> ReadAction {
        switch self.phase {
        case .opaque(let peer): return .pass(peer)
        case .handedOver: return .drop
        case .closing:
            self.closesCleanly = false
            return .drop
        case .proxyStart, .socks, .head, .body, .answering, .dialling, .tunnelStart, .transparentStart: return .parse
        }
    }

    /// Decides whether the channel may read more bytes. It may not while there is no receiver for them: this is the
    /// back-pressure towards the client.
    ///
    /// - Parameters:
    ///   - waiting: the number of unparsed bytes.
    ///   - takesBody: true if the current exchange accepts more of the request's body.
    mutating func mayRead(waiting: Int, takesBody: Bool) -> Bool {
        self.readIsHeld = !self.canRead(waiting, takesBody)
        return !self.readIsHeld
    }

    /// Returns `true` if a pending read may happen now, after a change.
    mutating func mayReadAgain(waiting: Int, takesBody: Bool) -> Bool {
        guard self.readIsHeld, self.canRead(waiting, takesBody) else { return false }
        self.readIsHeld = false
        return true
    }

    private func canRead(_ waiting: Int, _ takesBody: Bool) -> Bool {
        switch self.phase {
        case .opaque(let peer): peer.isWritable
        case .body: takesBody
        case .proxyStart, .socks, .head, .tunnelStart, .transparentStart, .answering, .dialling:
            waiting < Self.pendingLimit
        case .handedOver, .closing: true
        }
    }

    /// True while the client is not read from.
    var isHeld: Bool { self.readIsHeld }

    // MARK: Requests

    /// True until the head of a request has come.
    private(set) var isFirstHead = true

    /// The head of a request has come.
    mutating func headCame() {
        self.isFirstHead = false
    }

    /// The request of that head is read on.
    mutating func requestBegan() {
        self.phase = .body
    }

    /// Another handler has the connection from here on.
    mutating func handOver() {
        self.phase = .handedOver
    }

    /// The request is complete.
    mutating func requestEnded() {
        self.phase = .answering
    }

    /// True if the current request has been read to its end.
    ///
    /// - Parameter bodyEndsNow: true if no byte of its body is missing.
    func hasReadRequest(bodyEndsNow: Bool) -> Bool {
        if case .body = self.phase { bodyEndsNow } else { true }
    }

    /// True if the connection takes another request after this one.
    ///
    /// - Parameter waiting: how many bytes wait unparsed.
    func takesMoreRequests(waiting: Int) -> Bool { !self.isStopping && (!self.inputIsClosed || waiting > 0) }

    /// The answer was sent.
    ///
    /// - Parameters:
    ///   - closes: true if the response announced the end of the connection.
    ///   - waiting: the number of unparsed bytes.
    mutating func answerEnded(_ ending: StreamEnding, closes: Bool, waiting: Int) -> FinishAction {
        switch ending {
        case .complete where !closes && self.takesMoreRequests(waiting: waiting):
            self.phase = .head
            return .nextRequest
        case .complete, .completeAndClosed, .goAway:
            self.closesCleanly = self.hasReadAll(waiting)
            self.phase = .closing
            return .close(atOnce: self.inputIsClosed || self.isStopping && self.closesCleanly)
        case .cut, .refused, .garbage:
            self.phase = .closing
            return .cut
        case .streamReset, .reset:
            self.phase = .closing
            return .reset
        }
    }

    /// The client's socket has taken all of the last answer. Returns `true` if the client has closed its side already, so
    /// that there is nothing to wait for.
    mutating func answerIsWritten() -> Bool {
        self.lastAnswerIsWritten = true
        return self.inputIsClosed
    }

    /// True if, as far as can be known, all that the client sent has been read.
    private func hasReadAll(_ waiting: Int) -> Bool {
        if case .body = self.phase { return false }
        return waiting == 0 && !self.readIsHeld
    }

    // MARK: Tunnels

    /// A tunnel whose two ends are here was accepted.
    mutating func tunnelAccepted(to origin: Origin, of session: Session?) {
        self.phase = .tunnelStart(origin, session)
    }

    /// Answers a step of the SOCKS handshake.
    mutating func socksWentOn(_ handshake: SOCKSHandshake) {
        self.phase = .socks(handshake)
    }

    /// It is known what is spoken, on a port or inside a tunnel: requests come now, maybe behind TLS.
    mutating func requestsBegin() {
        self.isFirstHead = true
        self.phase = .head
    }

    /// The origin of a tunnel that is passed through is being dialled.
    mutating func tunnelIsDialled() {
        self.phase = .dialling
    }

    /// True while an origin is waited for. It may come too late.
    var awaitsTunnel: Bool {
        guard case .dialling = self.phase else { return false }
        return !self.isStopping
    }

    mutating func joined(with peer: any OpaquePeer) {
        self.phase = .opaque(peer)
    }

    // MARK: Ends

    /// The client has ended its output.
    mutating func inputClosed() -> InputClosedAction {
        self.inputIsClosed = true
        switch self.phase {
        case .head: return .parse
        case .proxyStart, .socks, .tunnelStart, .transparentStart: return .close
        // A close now would throw away what the socket has not taken yet of the last answer.
        case .closing: return self.lastAnswerIsWritten ? .close : .none
        case .dialling, .handedOver: return .none
        case .body: return .abandon
        case .answering: return .tellExchange
        case .opaque(let peer): return .finish(peer)
        }
    }

    /// The deck is stopping.
    ///
    /// - Parameter waiting: how many bytes wait unparsed.
    mutating func stop(waiting: Int) -> StopAction {
        self.isStopping = true
        switch self.phase {
        case .head where waiting == 0:
            self.phase = .closing
            return .closeWhenWritten
        case .closing where self.closesCleanly: return .closeWhenWritten
        case .proxyStart, .socks, .dialling, .tunnelStart, .transparentStart: return .closeNow
        case .opaque(let peer): return .finishBoth(peer)
        case .head, .body, .answering, .handedOver, .closing: return .hurry
        }
    }

    /// The head of a request did not come in time.
    ///
    /// - Parameters:
    ///   - waiting: how many bytes wait unparsed.
    ///   - isWritable: the client reads its answers.
    func headIsLate(waiting: Int, isWritable: Bool) -> LateAction {
        switch self.phase {
        case .head where waiting > 0: isWritable ? .refuse : .waitOn
        case .proxyStart, .socks, .head, .tunnelStart, .transparentStart: .close
        case .body, .answering, .dialling, .opaque, .handedOver, .closing: .none
        }
    }
}
