import NIOCore

/// The origin's end of a tunnel that is passed through. It reads only while the client can take what comes.
final class TunnelPeer: ChannelInboundHandler, OpaquePeer {
    typealias InboundIn = ByteBuffer

    private(set) var context: ChannelHandlerContext?
    /// Nothing is read before the tunnel is established.
    private var readIsHeld = true
    private var hasEnded = false
    private var client: ClientConnection?

    init(client: ClientConnection) {
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.client = nil
    }

    func resumeReading() {
        guard self.readIsHeld, !self.hasEnded else { return }
        self.readIsHeld = false
        self.context?.read()
    }

    func close() {
        self.context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.client?.write(self.unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let client = self.client else { return }
        client.flush()
        if client.isWritable {
            context.read()
        } else {
            self.readIsHeld = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.client?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            // Either side may continue sending when the other has finished.
            self.hasEnded = true
            self.client?.finish()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // An origin that has ended may still have accepted bytes; from here on it does not.
        if self.hasEnded { self.client?.closeWhenWritten() } else { self.client?.close() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension TunnelPeer: Sendable {}
