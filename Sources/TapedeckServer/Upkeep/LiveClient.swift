import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckProxy

/// Asks for one URL through the proxy of a deck, over loopback, and reads the answer to its end.
///
/// Every request has a connection of its own. The URL goes out whole (RFC 9112 section 3.2.2), so that https needs
/// neither a tunnel nor a certificate.
enum LiveClient {
    /// An answer that takes longer is given up: a stream may have no end. 5 minutes.
    private static let patience = TimeAmount.minutes(5)

    /// Returns the status of the answer once all of it is there; what it was is in the deck's journal then.
    ///
    /// - Throws: where the proxy hung up in the middle: a fault of the origin is shown like that.
    static func ask(_ request: LiveRequest, throughProxyOn port: Int, group: any EventLoopGroup) async throws -> Int {
        let channel = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get()
        let promise = channel.eventLoop.makePromise(of: Int.self)
        do {
            try await channel.eventLoop.submit {
                let handler = LiveExchange(request, promise: promise)
                try channel.pipeline.syncOperations.addHandler(handler)
            }.get()
        } catch {
            promise.fail(error)
            try? await channel.close()
        }
        let end = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        defer { end.cancel() }
        return try await promise.futureResult.get()
    }
}

/// One request on one connection.
private final class LiveExchange: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: LiveRequest
    private let promise: EventLoopPromise<Int>
    private var input = ByteBuffer()
    private var scanner = ResponseScanner()
    private var decoder: BodyDecoder?
    private var status = 0

    init(_ request: LiveRequest, promise: EventLoopPromise<Int>) {
        self.request = request
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        var buffer = ByteBuffer(string: "\(self.request.method) \(self.request.url) HTTP/1.1\r\n")
        let ends: [HeaderField] =
            self.request.body.isEmpty ? [] : [HeaderField("Content-Length", String(self.request.body.count))]
        let host = HeaderField("Host", self.request.url.origin.authority)
        for field in [host] + self.request.headers + ends + [HeaderField("Connection", "close")] {
            buffer.writeBytes(ByteText.bytes(of: "\(field.name): \(field.value)\r\n"))
        }
        buffer.writeString("\r\n")
        buffer.writeBytes(self.request.body)
        context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.input.writeBuffer(&bytes)
        do {
            if self.decoder == nil, try !self.readHead() { return }
            while let piece = try self.decoder?.next(&self.input) {
                guard case .end = piece else { continue }
                self.promise.succeed(self.status)
                context.close(promise: nil)
                return
            }
        } catch {
            self.errorCaught(context: context, error: error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(error)
        context.close(promise: nil)
    }

    /// The end of the connection ends a body of no known length; any other is cut short, and then this is a failure.
    func channelInactive(context: ChannelHandlerContext) {
        if self.decoder?.endsAtClose ?? false {
            self.promise.succeed(self.status)
        } else {
            self.promise.fail(ChannelError.eof)
        }
    }

    /// Returns whether the head of the final answer is there.
    private func readHead() throws -> Bool {
        while true {
            let result = self.input.withUnsafeReadableBytes { self.scanner.scan($0) }
            switch result {
            case .incomplete: return false
            case .malformed(let problem): throw problem
            case .complete(let end): self.input.moveReaderIndex(forwardBy: end)
            }
            // RFC 9110 section 15.2: others go before the final one.
            if self.scanner.status >= 200 { break }
            self.scanner = ResponseScanner()
        }
        self.status = self.scanner.status
        self.decoder = Self.decoder(self.request.method, self.scanner)
        return true
    }

    /// RFC 9112 section 6.3.
    private static func decoder(_ method: String, _ scanner: ResponseScanner) -> BodyDecoder {
        if method == "HEAD" || scanner.status == 204 || scanner.status == 304 { return .length(0) }
        if scanner.fields.isChunked { return .chunked }
        return scanner.fields.contentLength.map { .length($0) } ?? .untilClose
    }
}
