import NIOCore

/// The other end of a connection whose bytes are passed on as they are.
protocol OpaquePeer: AnyObject {
    var isWritable: Bool { get }
    func write(_ bytes: ByteBuffer)
    func flush()
    /// Called when this end can take bytes again.
    func resumeReading()
    /// No more bytes will come from the peer.
    func finish()
    func close()
}

extension ClientConnection: OpaquePeer {
    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    /// Joins this connection with `peer`: from here on bytes are bytes.
    func becomeOpaque(with peer: any OpaquePeer) {
        self.exchange = nil
        self.phase = .opaque(peer)
        if self.input.readableBytes > 0 {
            peer.write(self.input)
            peer.flush()
            self.input.clear()
        }
        self.resumeReading()
    }

    func write(_ bytes: ByteBuffer) {
        self.context?.write(self.wrapOutboundOut(bytes), promise: nil)
    }

    func flush() {
        self.context?.flush()
    }

    func finish() {
        self.context?.flush()
        self.context?.close(mode: .output, promise: nil)
    }

    func close() {
        self.closeNow()
    }
}
