package import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckHTTP1
import TapedeckMaintenance
import TapedeckSessions
package import TapedeckTLS

/// An HTTP/1.1 client for the proxy of a deck in this process. Each request has a connection of its own.
package enum ProxyClient {
    /// The status and the body of a final response.
    package struct Response: Sendable, Equatable {
        package var status: Int
        package var body: ByteBuffer
    }

    /// The maximum duration of a connection, since a stream may have no end.
    private static let timeout = TimeAmount.minutes(5)

    /// Requests a path of an https origin as any program does: CONNECT, TLS, GET.
    ///
    /// - Throws: When the proxy refuses the tunnel, the handshake fails, or the connection ends inside the response.
    package static func get(
        _ path: String,
        from host: String,
        port: Int,
        throughProxyOn proxyPort: Int,
        trusting authority: CertificateAuthority,
        group: any EventLoopGroup
    ) async throws -> Response {
        let context = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let origin = "\(host):\(port)"
        return try await self.withConnection(toPort: proxyPort, group) { channel in
            let connect = ByteBuffer(string: "CONNECT \(origin) HTTP/1.1\r\nHost: \(origin)\r\n\r\n")
            let tunnel = try await self.response(to: connect, method: "CONNECT", on: channel)
            guard tunnel.status == 200 else { throw DeckError("the proxy answers CONNECT with \(tunnel.status)") }
            let request = ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: \(origin)\r\nAccept: */*\r\n\r\n")
            return try await self.response(to: request, method: "GET", on: channel) {
                try TLSHandler.client(context: context, host: host)
            }
        }
    }

    /// Sends a request with its whole URL (RFC 9112 section 3.2.2), so that https needs neither a tunnel nor a
    /// certificate. Returns the status once the response is complete; its body is only in the deck's journal.
    ///
    /// - Throws: When the connection ends inside the response, which is how the proxy shows a fault of the origin.
    static func send(_ request: LiveRequest, throughProxyOn port: Int, group: any EventLoopGroup) async throws -> Int {
        try await self.withConnection(toPort: port, group) { channel in
            let bytes = Self.bytes(of: request)
            return try await self.response(to: bytes, method: request.method, on: channel, keepsBody: false).status
        }
    }

    private static func bytes(of request: LiveRequest) -> ByteBuffer {
        var buffer = ByteBuffer(string: "\(request.method) \(request.url) HTTP/1.1\r\n")
        let length = request.body.isEmpty ? [] : [HeaderField("Content-Length", String(request.body.count))]
        let host = HeaderField("Host", request.url.origin.authority)
        for field in [host] + request.headers + length + [HeaderField("Connection", "close")] {
            buffer.writeBytes(ByteText.bytes(of: "\(field.name): \(field.value)\r\n"))
        }
        buffer.writeString("\r\n")
        buffer.writeBytes(request.body)
        return buffer
    }

    private static func withConnection<Result: Sendable>(
        toPort port: Int,
        _ group: any EventLoopGroup,
        _ use: (any Channel) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get()
        let end = channel.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
        defer {
            end.cancel()
            channel.close(promise: nil)
        }
        return try await use(channel)
    }

    /// - Parameter tls: makes the handler for the rest of the connection; the request is sent after its handshake.
    private static func response(
        to request: ByteBuffer,
        method: String,
        on channel: any Channel,
        keepsBody: Bool = true,
        tls: (@Sendable () throws -> TLSHandler)? = nil
    ) async throws -> Response {
        let promise = channel.eventLoop.makePromise(of: Response.self)
        channel.eventLoop.submit {
            let handlers = channel.pipeline.syncOperations
            if let tls { try handlers.addHandler(tls()) }
            let reader = ResponseReader(method: method, keepsBody: keepsBody)
            let handler = ProxyClientHandler(request, reader, waitsForTLS: tls != nil, promise: promise)
            try handlers.addHandler(handler)
        }
        .cascadeFailure(to: promise)
        return try await promise.futureResult.get()
    }
}

/// Reads the bytes of a connection up to the end of the final response.
private struct ResponseReader {
    private let method: String
    private let keepsBody: Bool
    private var input = ByteBuffer()
    private var scanner = ResponseScanner()
    private var body = ByteBuffer()
    /// `nil` before the head of the final response is complete.
    private var decoder: BodyDecoder?

    init(method: String, keepsBody: Bool) {
        self.method = method
        self.keepsBody = keepsBody
    }

    /// Returns the response once it is complete.
    mutating func read(_ bytes: inout ByteBuffer) throws -> ProxyClient.Response? {
        self.input.writeBuffer(&bytes)
        if self.decoder == nil, try !self.readHead() { return nil }
        while let piece = try self.decoder?.next(&self.input) {
            switch piece {
            case .bytes(var bytes): if self.keepsBody { self.body.writeBuffer(&bytes) }
            case .end: return self.response
            }
        }
        return nil
    }

    /// Returns the response at the end of the connection; `nil` if it is cut off. The end of the connection is the end
    /// of a body without a length.
    func end() -> ProxyClient.Response? {
        self.decoder?.endsAtClose ?? false ? self.response : nil
    }

    private var response: ProxyClient.Response {
        ProxyClient.Response(status: self.scanner.status, body: self.body)
    }

    /// Returns true once the head of the final response has been read.
    private mutating func readHead() throws -> Bool {
        while true {
            let result = self.input.withUnsafeReadableBytes { self.scanner.scan($0) }
            switch result {
            case .incomplete: return false
            case .malformed(let problem): throw problem
            case .complete(let end): self.input.moveReaderIndex(forwardBy: end)
            }
            // RFC 9110 section 15.2: interim responses precede the final one.
            if self.scanner.status >= 200 { break }
            self.scanner = ResponseScanner()
        }
        self.decoder = self.makeDecoder()
        return true
    }

    /// RFC 9112 section 6.3.
    private func makeDecoder() -> BodyDecoder {
        let status = self.scanner.status
        if self.method == "HEAD" || status == 204 || status == 304 { return .length(0) }
        if self.method == "CONNECT", (200..<300).contains(status) { return .length(0) }
        if self.scanner.fields.isChunked { return .chunked }
        return self.scanner.fields.contentLength.map { .length($0) } ?? .untilClose
    }
}

/// Writes one request, reads its response and removes itself.
private final class ProxyClientHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: ByteBuffer
    private var reader: ResponseReader
    private let waitsForTLS: Bool
    private let promise: EventLoopPromise<ProxyClient.Response>

    init(
        _ request: ByteBuffer,
        _ reader: ResponseReader,
        waitsForTLS: Bool,
        promise: EventLoopPromise<ProxyClient.Response>
    ) {
        self.request = request
        self.reader = reader
        self.waitsForTLS = waitsForTLS
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return self.promise.fail(ChannelError.eof) }
        if !self.waitsForTLS { self.write(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshakeCompleted { self.write(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        do {
            guard let response = try self.reader.read(&bytes) else { return }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            self.promise.succeed(response)
        } catch {
            self.promise.fail(error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let response = self.reader.end() {
            self.promise.succeed(response)
        } else {
            self.promise.fail(ChannelError.eof)
        }
    }

    private func write(_ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(self.request), promise: nil)
    }
}
