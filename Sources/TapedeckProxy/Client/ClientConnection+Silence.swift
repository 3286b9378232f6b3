import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Clients that begin something and do not go on: they must not keep a connection from others for ever.
extension ClientConnection {
    /// The head of a request must be there in time from here on, with all that comes before it: the first byte, the TLS
    /// handshake, the rest of the head. Between two requests a connection may be silent for as long as it likes.
    func awaitHead() {
        guard self.headTimer == nil, let context = self.context else { return }
        let timeout = self.deck.configuration.headTimeout
        self.headTimer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.headIsLate()
        }
    }

    /// It is there, or nobody waits for it any more.
    func headCame() {
        guard let timer = self.headTimer else { return }
        timer.cancel()
        self.headTimer = nil
    }

    private func headIsLate() {
        self.headTimer = nil
        switch self.phase {
        case .head where self.input.readableBytes > 0:
            // Whoever does not read its answers is not asked for another request.
            guard self.context?.channel.isWritable == true else {
                self.awaitHead()
                return
            }
            self.refuse(MalformedMessage("the head of the request did not come in time", status: 408))
            self.flush()
        case .head, .tunnelStart, .transparentStart:
            self.closeNow()
        case .body, .answering, .opaque, .closing:
            break
        }
    }

    // MARK: Bodies

    /// Notes that a body goes on, and ends the connection when it does not for ``ProxyConfiguration/bodyTimeout``. A
    /// connection has one timer for all its bodies.
    func awaitBody() {
        self.bodyTime = .now()
        guard self.bodyTimer == nil else { return }
        self.watchBody(for: self.deck.configuration.bodyTimeout)
    }

    private func watchBody(for time: TimeAmount) {
        self.bodyTimer = self.context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            self?.lookAtBody()
        }
    }

    private func lookAtBody() {
        self.bodyTimer = nil
        guard case .body = self.phase else { return }
        // A client that is not read from cannot go on.
        if self.readIsHeld { self.bodyTime = .now() }
        let timeout = self.deck.configuration.bodyTimeout
        let left = self.bodyTime + timeout - .now()
        guard left <= .zero else {
            self.watchBody(for: left)
            return
        }
        self.refuseBody(MalformedMessage("the body of the request did not go on in time", status: 408))
        self.flush()
    }
}
