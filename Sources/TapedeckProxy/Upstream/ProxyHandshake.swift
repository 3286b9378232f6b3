import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// The steps on a connection to a proxy before it can be used: its TLS handshake, if it uses TLS, and CONNECT, if it
/// leads on. Leaves the pipeline then.
///
///     TLS ──handshake──▶ asking ──2xx──▶ done
///      └─────────────────┴── failure ──▶ done
final class ProxyHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case tls
        case asking
        case done
    }

    private static let closed = UpstreamFailure(fault: .connectionReset, detail: "it closed the connection")

    private let proxy: UpstreamProxy
    private let origin: Origin?
    private let authority: String?
    private let done: EventLoopPromise<Void>
    private var phase: Phase
    private var scanner = ResponseScanner()
    private var input = ByteBuffer()

    /// - Parameters:
    ///   - origin: the target of the tunnel; `nil` only waits for TLS.
    ///   - authority: the target as sent to the proxy.
    ///   - done: succeeds in the turn of the loop in which further handlers must be added.
    init(
        _ proxy: UpstreamProxy,
        connecting origin: Origin?,
        authority: String?,
        waitsForTLS: Bool,
        done: EventLoopPromise<Void>
    ) {
        self.proxy = proxy
        self.origin = origin
        self.authority = authority
        self.done = done
        self.phase = waitsForTLS ? .tls : .asking
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if self.phase == .asking { self.ask(context) }
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is TLSHandshakeCompleted, self.phase == .tls else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        self.phase = .asking
        self.ask(context)
    }

    private func ask(_ context: ChannelHandlerContext) {
        guard let authority = self.authority else {
            self.finish(context)
            return
        }
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let field = self.proxy.authorizationField { head += "\(field.name): \(field.value)\r\n" }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: head + "\r\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.input.writeBuffer(&bytes)
        while self.phase == .asking, self.input.readableBytes > 0 {
            let (result, head) = self.input.withUnsafeReadableBytes { bytes in
                let result = self.scanner.scan(bytes)
                if case .complete = result { return (result, self.scanner.head(bytes) as ResponseHead?) }
                return (result, nil)
            }
            switch (result, head) {
            case (.complete(let end), .some(let head)):
                self.input.moveReaderIndex(forwardBy: end)
                self.take(head, context)
            case (.malformed(let problem), _):
                self.fail(UpstreamFailure(fault: .malformedResponse, detail: problem.reason), context)
            default:
                return
            }
        }
    }

    private func take(_ head: ResponseHead, _ context: ChannelHandlerContext) {
        switch head.status {
        case 100..<200: break
        case 200..<300: self.finish(context)
        default:
            guard let origin = self.origin else { return }
            self.fail(UpstreamFailure(self.proxy, refuses: origin, status: head.status, fields: head.fields), context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if self.phase == .done {
            context.fireChannelReadComplete()
        } else {
            context.read()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfTLS = error is TLSHandshakeFailure || error is TLSError
        self.fail(isOfTLS ? error : Self.closed, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(Self.closed, context)
        context.fireChannelInactive()
    }

    private func finish(_ context: ChannelHandlerContext) {
        self.phase = .done
        // First, since those who wait add their handlers now, behind this one.
        self.done.succeed()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Hands on what came behind the proxy's answer (RFC 9110 section 9.3.6).
    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if self.input.readableBytes > 0 {
            context.fireChannelRead(self.wrapInboundOut(self.input))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard self.phase != .done else { return }
        self.phase = .done
        self.done.fail(error)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ProxyHandshake: Sendable {}
