import NIOCore
import NIOPosix

/// One end of a connection between an isolated command and the machine; incoming bytes leave at the other end.
final class LoopbackRelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The place that a connection is passed on to.
    enum Target: Sendable {
        /// A port of the machine's loopback address.
        case machine(port: Int, isIPv6: Bool)
        /// A port that the command listens on.
        case isolated(IsolatedListener, in: IsolatedNetwork)
    }

    /// `nil` for the end that was connected to.
    private let target: Target?
    private var context: ChannelHandlerContext?
    private var other: LoopbackRelay?
    /// Bytes that came before the other end was there. A client that ends its side early is read to the end unasked.
    private var early: [ByteBuffer] = []
    private var inputIsClosed = false

    private init(_ target: Target?) {
        self.target = target
    }

    /// Makes the end that a client has connected to.
    convenience init(to target: Target) {
        self.init(target)
    }

    /// Connects to the target. Reads nothing before that has succeeded.
    func channelActive(context: ChannelHandlerContext) {
        guard let target = self.target else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        Self.connect(to: target, on: context.eventLoop)
            .flatMapThrowing { server in
                let (near, far) = (bound.value, LoopbackRelay(nil))
                // A channel that has been closed keeps its handlers for a moment.
                guard let channel = near.context?.channel, channel.isActive else { return server.close(promise: nil) }
                (near.other, far.other) = (far, near)
                try server.pipeline.syncOperations.addHandler(far)
                near.passEarlyInput()
                near.read()
                far.read()
            }
            .whenFailure { _ in bound.value.context?.close(promise: nil) }
    }

    private static func connect(to target: Target, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        switch target {
        case .machine(let port, let isIPv6):
            return Self.bootstrap(eventLoop).connect(host: isIPv6 ? "::1" : "127.0.0.1", port: port)
        case .isolated(let listener, let network):
            return network.connect(to: listener, on: eventLoop)
                .flatMap { Self.bootstrap(eventLoop).withConnectedSocket($0) }
        }
    }

    private static func bootstrap(_ eventLoop: any EventLoop) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.other = nil
    }

    private func passEarlyInput() {
        for bytes in self.early { self.other?.context?.write(self.wrapOutboundOut(bytes), promise: nil) }
        self.early = []
        self.other?.context?.flush()
        if self.inputIsClosed { self.other?.context?.close(mode: .output, promise: nil) }
    }

    private func read() {
        self.context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let other = self.other else { return self.early.append(self.unwrapInboundIn(data)) }
        other.context?.write(data, promise: nil)
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
        self.inputIsClosed = true
        self.other?.context?.close(mode: .output, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.other?.context?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

extension ServerBootstrap {
    /// Returns what makes a listener whose connections are passed on.
    static func relaying(to target: LoopbackRelay.Target, group: any EventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoopbackRelay(to: target))
                }
            }
    }
}
