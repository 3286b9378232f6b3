import NIOCore
import NIOPosix

/// One end of a connection that an isolated command opened to a port of the machine's loopback address; what comes in
/// goes out at the other end.
final class LoopbackRelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A port of the machine's loopback address.
    private struct Target {
        var port: Int
        var isIPv6: Bool
    }

    /// `nil` for the end on the machine.
    private let target: Target?
    private var context: ChannelHandlerContext?
    private var other: LoopbackRelay?

    private init(_ target: Target?) {
        self.target = target
    }

    /// Makes the end that the command has connected to.
    convenience init(toPort port: Int, isIPv6: Bool) {
        self.init(Target(port: port, isIPv6: isIPv6))
    }

    /// Connects to the port on the machine. Nothing is read before that has succeeded.
    func channelActive(context: ChannelHandlerContext) {
        guard let target = self.target else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .connect(host: target.isIPv6 ? "::1" : "127.0.0.1", port: target.port)
            .flatMapThrowing { server in
                let (near, far) = (bound.value, LoopbackRelay(nil))
                (near.other, far.other) = (far, near)
                try server.pipeline.syncOperations.addHandler(far)
                near.read()
                far.read()
            }
            .whenFailure { _ in bound.value.context?.close(promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.other = nil
    }

    private func read() {
        self.context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.other?.context?.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let out = self.other?.context else { return }
        out.flush()
        // Otherwise the other end reads on when it can be written to again.
        if out.channel.isWritable { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.other?.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        self.other?.context?.close(mode: .output, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.other?.context?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
