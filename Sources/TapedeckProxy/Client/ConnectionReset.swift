import NIOCore
import TapedeckPlatform
import TapedeckTLS

/// The end of a connection with a TCP reset: closing with a linger time of zero sends RST instead of FIN.
///
/// A reset throws away what the client's side has not acknowledged, so it waits until that has everything, or has taken
/// nothing for a while.
struct ConnectionReset: Sendable {
    let channel: any Channel
    private static let interval = TimeAmount.milliseconds(5)
    /// As many intervals without progress are a while: 5 seconds.
    private static let patience = 1_000

    /// To be called on the channel's event loop when all has been written.
    func start() {
        self.wait(patience: Self.patience, unacknowledged: .max)
    }

    private func wait(patience: Int, unacknowledged before: Int) {
        let now = self.unacknowledged
        guard now > 0, patience > 0 else {
            self.reset()
            return
        }
        let patience = now < before ? Self.patience : patience - 1
        self.channel.eventLoop.scheduleTask(in: Self.interval) { self.wait(patience: patience, unacknowledged: now) }
    }

    /// The number of bytes in the kernel that the client's side has not acknowledged.
    private var unacknowledged: Int {
        let count = try? self.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { SystemSocket.unacknowledged($0) ?? 0 }
        return count ?? 0
    }

    private func reset() {
        if let options = self.channel as? any SocketOptionProvider {
            // Done at once, since this is the channel's event loop.
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        // A close_notify would be an orderly end.
        self.channel.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
        self.channel.close(promise: nil)
    }
}
