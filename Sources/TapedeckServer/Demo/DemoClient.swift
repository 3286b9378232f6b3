package import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckProxy
package import TapedeckTLS

/// A client that knows nothing of Tapedeck but a proxy's address and an authority to trust, as any program would.
package enum DemoClient {
    /// A response as the client got it.
    package struct Response: Sendable, Equatable {
        package var status: Int
        package var body: String
    }

    /// Asks for `path` of the origin through the proxy: CONNECT, TLS, GET.
    package static func get(
        _ path: String,
        from host: String,
        port: Int,
        throughProxyOn proxyPort: Int,
        trusting authority: CertificateAuthority,
        group: any EventLoopGroup
    ) async throws -> Response {
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.autoRead, value: true)
            .connect(host: "127.0.0.1", port: proxyPort)
            .get()
        let promise = channel.eventLoop.makePromise(of: Response.self)
        try await channel.eventLoop.submit {
            let exchange = DemoExchange(path: path, host: host, port: port, trust: trust, promise: promise)
            try channel.pipeline.syncOperations.addHandler(exchange)
        }.get()
        return try await promise.futureResult.get()
    }
}

/// One request through one tunnel.
private final class DemoExchange: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let path: String
    private let host: String
    private let port: Int
    private let trust: TLSClientContext
    private let promise: EventLoopPromise<DemoClient.Response>
    private var isTunnel = false
    private var input = ByteBuffer()
    private var scanner = ResponseScanner()
    private var status: Int?
    private var body = ByteBuffer()
    private var decoder = BodyDecoder.none

    init(
        path: String,
        host: String,
        port: Int,
        trust: TLSClientContext,
        promise: EventLoopPromise<DemoClient.Response>
    ) {
        self.path = path
        self.host = host
        self.port = port
        self.trust = trust
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.write("CONNECT \(self.host):\(self.port) HTTP/1.1\r\nHost: \(self.host):\(self.port)\r\n\r\n", context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshakeCompleted {
            self.write("GET \(self.path) HTTP/1.1\r\nHost: \(self.host):\(self.port)\r\nAccept: */*\r\n\r\n", context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.input.writeBuffer(&bytes)
        do {
            if self.status == nil, try !self.readHead(context) { return }
            while let piece = try self.decoder.next(&self.input) {
                switch piece {
                case .bytes(var bytes): self.body.writeBuffer(&bytes)
                case .end:
                    let response = DemoClient.Response(status: self.status ?? 0, body: String(buffer: self.body))
                    self.promise.succeed(response)
                    context.close(promise: nil)
                }
            }
        } catch {
            self.errorCaught(context: context, error: error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(ChannelError.eof)
    }

    /// Returns whether the head of the answer (not of the tunnel) is there.
    private func readHead(_ context: ChannelHandlerContext) throws -> Bool {
        let result = self.input.withUnsafeReadableBytes { self.scanner.scan($0) }
        switch result {
        case .incomplete: return false
        case .malformed(let problem): throw problem
        case .complete(let end): self.input.moveReaderIndex(forwardBy: end)
        }
        guard self.isTunnel else {
            self.isTunnel = true
            let tls = try TLSHandler.client(context: self.trust, host: self.host)
            try context.pipeline.syncOperations.addHandler(tls, position: .before(self))
            return false
        }
        self.status = self.scanner.status
        self.decoder = self.scanner.fields.isChunked ? .chunked : .length(self.scanner.fields.contentLength ?? 0)
        return true
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
