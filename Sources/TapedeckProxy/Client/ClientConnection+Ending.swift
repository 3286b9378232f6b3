import NIOCore
import TapedeckSessions
import TapedeckTLS

/// From the end of an answer to the next request, or to the end of the connection.
extension ClientConnection {
    /// The answer is out: the next request, or the end of the connection.
    func finishAnswer(_ ending: PlayableResponse.Ending) {
        self.trace?.end(JournalEntry.Ending(ending))
        self.trace = nil
        self.exchange = nil
        self.underWay = nil
        self.request = nil
        self.bodySink = .discard
        switch ending {
        case .keepAlive where self.takesMoreRequests:
            self.phase = .head
        case .keepAlive, .close:
            self.closeGently()
        case .cut:
            self.phase = .closing
            self.whenWritten { channel in
                // A close_notify would tell the client that all of the body has come.
                channel.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
                channel.close(promise: nil)
            }
        case .reset:
            self.phase = .closing
            self.whenWritten { ConnectionReset(channel: $0).start() }
        }
    }

    /// The client does not wait for the answer any more. What was written before still goes out.
    func abandonAnswer() {
        self.trace?.end(.abandoned)
        self.finishAnswer(.close)
    }

    /// Closes the sending side, then waits a moment for the client to close its own. A deck that is stopping waits for
    /// no client from which nothing unread can be left.
    private func closeGently() {
        self.closesCleanly = self.hasReadAll
        self.phase = .closing
        self.input.clear()
        let closesAtOnce = self.inputClosed || self.isStopping && self.closesCleanly
        self.whenWritten { channel in
            guard !closesAtOnce else {
                channel.close(promise: nil)
                return
            }
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }

    /// Calls `body` once the client's socket has taken all that was written: a close before would throw it away.
    func whenWritten(_ body: @escaping @Sendable (any Channel) -> Void) {
        guard let context = self.context else { return }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in body(channel) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
    }
}
