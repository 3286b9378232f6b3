import NIOCore

/// The other end of a connection whose bytes are passed on as they are.
protocol OpaquePeer: AnyObject {
    /// The peer's place in its channel; `nil` once that is gone.
    var context: ChannelHandlerContext? { get }
    /// Called when this end can take bytes again.
    func resumeReading()
    func close()
}

extension OpaquePeer {
    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    func write(_ bytes: ByteBuffer) {
        self.context?.write(NIOAny(bytes), promise: nil)
    }

    func flush() {
        self.context?.flush()
    }

    /// The other connection has ended. Closes this one once it has sent all remaining bytes.
    func closeWhenWritten() {
        self.whenWritten { $0.close(promise: nil) }
    }

    /// Calls `body` once the socket has taken all that was written: a close before would throw it away.
    func whenWritten(_ body: @escaping (any Channel) -> Void) {
        guard let context = self.context else { return }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in body(channel) }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
    }

    /// No more bytes will come from the peer.
    func finish() {
        self.context?.flush()
        self.context?.close(mode: .output, promise: nil)
    }
}
