import NIOCore
import TapedeckCore

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
}
