import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Clients that begin something and do not continue: they must not block a connection for ever.
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

    /// Cancels the head timeout.
    func cancelHeadTimeout() {
        guard let timer = self.headTimer else { return }
        timer.cancel()
        self.headTimer = nil
    }

    private func headIsLate() {
        self.headTimer = nil
        let isWritable = self.context?.channel.isWritable ?? false
        switch self.state.headIsLate(waiting: self.waiting, isWritable: isWritable) {
        case .none: break
        case .waitOn: self.awaitHead()
        case .close: self.closeNow()
        case .refuse:
            self.refuse(MalformedMessage("the head of the request did not come in time", status: 408))
            self.flush()
        }
    }

    // MARK: Bodies

    /// Notes the progress of a body, and ends the connection after ``ProxyConfiguration/bodyTimeout`` without progress.
    /// A connection has one timer for all its bodies.
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
        guard case .body = self.state.phase else { return }
        // A client that is not read cannot make progress.
        if self.state.isHeld { self.bodyTime = .now() }
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
