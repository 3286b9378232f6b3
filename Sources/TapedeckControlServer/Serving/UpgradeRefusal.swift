import NIOCore
import NIOHTTP1

/// Ends a connection with the answer to a request that offers another protocol.
///
/// A server may ignore the offer (RFC 9110, section 7.8), but NIO's parser takes what follows such a request for bytes of the
/// other protocol: the next request on the connection would never be answered. Java's HttpClient offers h2c by default.
final class UpgradeRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var refuses = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = self.unwrapInboundIn(data), head.headers.contains(name: "Upgrade") else {
            context.fireChannelRead(data)
            return
        }
        self.refuses = true
        // Has the server close the connection after its answer.
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.refuses, case .head(var head) = self.unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.write(self.wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension UpgradeRefusal: Sendable {}
