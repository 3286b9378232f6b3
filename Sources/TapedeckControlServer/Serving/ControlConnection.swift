import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// A client's connection to the control API: HTTP/1.1, one request after the other.
///
/// Requests are scanned as those of the proxy are (RFC 9112), so that no two parsers of the program understand one text
/// differently.
final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Answers a request on a task of its own.
    typealias Answer = @Sendable (Request) async -> Response

    /// The request in progress.
    private struct Exchange {
        var body: RequestBody
        var decoder: BodyDecoder
        var task: Task<Void, Never>?
        var hasWholeBody = false
        var isAnswered = false
        /// Bytes of a body that are dropped.
        var dropped = 0
    }

    /// Bytes of a body that are dropped after an early answer. 256 MiB: most clients read it only after they have sent all.
    private static let dropLimit = 256 << 20
    /// Bytes that are read while a request is answered, so that the end of the connection is noticed. 64 KiB.
    private static let inputLimit = 64 << 10

    private let registry: ConnectionRegistry
    private let executor: (any TaskExecutor)?
    private let answer: Answer
    private var context: ChannelHandlerContext?
    private var input = ByteBuffer()
    private var scanner = RequestScanner()
    private var exchange: Exchange?
    private var isInputClosed = false
    /// True if no request follows the present one.
    private var isLast = false

    /// - Parameter executor: what the tasks of requests run on; `nil` is what all tasks share.
    init(registry: ConnectionRegistry, executor: (any TaskExecutor)?, answer: @escaping Answer) {
        self.registry = registry
        self.executor = executor
        self.answer = answer
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.registry.add(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        self.read()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.isInputClosed = true
        self.abandon()
        self.registry.remove(context.channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.abandon()
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        if self.input.readableBytes == 0 { self.input = bytes } else { self.input.writeBuffer(&bytes) }
        self.goOn()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            self.isInputClosed = true
            guard let exchange = self.exchange else { return self.goOn() }
            exchange.body.closing.close()
            if !exchange.hasWholeBody { exchange.body.interrupt() }
        case is ChannelShouldQuiesceEvent:
            self.isLast = true
            if self.exchange == nil { context.close(promise: nil) }
        case IdleStateHandler.IdleStateEvent.read:
            // A client that waits for its answer owes nothing.
            if self.exchange?.hasWholeBody != true { context.close(promise: nil) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Reads on where bytes are wanted. The channel does not read by itself.
    private func read() {
        guard !self.isInputClosed else { return }
        if let exchange = self.exchange {
            let isFull = exchange.hasWholeBody ? self.input.readableBytes > Self.inputLimit : exchange.body.isFull
            guard !isFull else { return }
        }
        self.context?.read()
    }

    /// The client is gone.
    private func abandon() {
        guard let exchange = self.exchange else { return }
        exchange.body.closing.close()
        exchange.body.interrupt()
        exchange.task?.cancel()
    }

    // MARK: Requests

    private func goOn() {
        while self.context != nil {
            guard self.exchange == nil else {
                guard self.decodeBody() else { return }
                continue
            }
            guard !self.isLast, self.parseHead() else {
                // Requests that came before the end of its side are answered first.
                if self.isInputClosed, !self.isLast { self.context?.close(promise: nil) }
                return
            }
        }
    }

    /// Returns `false` if the head is incomplete or wrong.
    private func parseHead() -> Bool {
        var end = 0
        var problem: MalformedMessage?
        let parts = self.input.withUnsafeReadableBytes { bytes -> (method: String, target: String, [HeaderField])? in
            switch self.scanner.scan(bytes) {
            case .incomplete: return nil
            case .malformed(let malformed):
                problem = malformed
                return nil
            case .complete(let length):
                end = length
                func text(_ range: Range<Int>) -> String {
                    ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
                return (text(self.scanner.method), text(self.scanner.target), self.scanner.fields.fields(bytes))
            }
        }
        if let problem {
            self.refuse(problem)
            return false
        }
        guard let (method, target, fields) = parts else { return false }
        self.input.moveReaderIndex(forwardBy: end)
        self.begin(method, target, fields)
        return true
    }

    private func begin(_ method: String, _ target: String, _ fields: [HeaderField]) {
        guard let context = self.context else { return }
        let scanned = self.scanner.fields
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let expectsContinue = scanned.expectsContinue && self.scanner.hasBody
        let body = RequestBody { isFirst in
            loop.execute { own.value.bodyIsWanted(sendsContinue: isFirst && expectsContinue) }
        }
        let decoder =
            scanned.isChunked ? BodyDecoder.chunked : scanned.contentLength.map { .length($0) } ?? BodyDecoder.none
        // RFC 9112 section 3.2.2: the absolute form is taken as well.
        let path =
            target.first == "/"
            ? target[...]
            : target.firstRange(of: "://").map { target[$0.upperBound...].drop { $0 != "/" } } ?? target[...]
        let split = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = Request(
            method: method,
            path: split.first.map(String.init) ?? "",
            query: split.count == 2 ? String(split[1]) : "",
            fields: fields,
            body: body
        )
        let wire = WireMessage(
            channel: context.channel,
            isHead: self.scanner.isHead,
            isHTTP10: self.scanner.minorVersion == 0,
            isPersistent: self.scanner.isPersistent && !self.isLast
        )
        self.exchange = Exchange(body: body, decoder: decoder)
        let answer = self.answer
        self.registry.began()
        self.exchange?.task = Task(executorPreference: self.executor) { [registry = self.registry] in
            let response = await answer(request)
            let staysOpen = (try? await wire.send(response)) ?? false
            loop.execute { own.value.answered(staysOpen: staysOpen) }
            registry.ended()
        }
    }

    private func bodyIsWanted(sendsContinue: Bool) {
        if sendsContinue, self.exchange?.isAnswered == false, let context = self.context {
            context.writeAndFlush(
                self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")),
                promise: nil
            )
        }
        self.goOn()
        self.read()
    }

    /// Hands on what has come of the body. Returns `false` if more has to happen before the next request.
    private func decodeBody() -> Bool {
        while let exchange = self.exchange, !exchange.hasWholeBody, !exchange.body.isFull {
            do {
                guard let piece = try self.exchange?.decoder.next(&self.input) else { break }
                switch piece {
                case .bytes(let bytes):
                    if exchange.isAnswered {
                        self.exchange?.dropped += bytes.readableBytes
                        guard exchange.dropped <= Self.dropLimit else {
                            self.context?.close(promise: nil)
                            return false
                        }
                    } else {
                        exchange.body.receive(bytes)
                    }
                case .end:
                    self.exchange?.hasWholeBody = true
                    exchange.body.end()
                }
            } catch {
                exchange.body.interrupt()
                self.isLast = true
                // The answer to the request says so; what follows cannot be understood.
                self.exchange?.hasWholeBody = true
                self.input.clear()
            }
        }
        return self.endExchange()
    }

    private func answered(staysOpen: Bool) {
        guard self.context != nil else {
            self.exchange = nil
            return
        }
        self.isLast = self.isLast || !staysOpen
        self.exchange?.isAnswered = true
        self.exchange?.body.drop()
        self.goOn()
        self.read()
    }

    /// Returns `true` if the exchange is over, and another one may follow.
    private func endExchange() -> Bool {
        guard let exchange = self.exchange, exchange.isAnswered else { return false }
        // A client that sends all of its body before it reads would not see an answer before a reset.
        guard exchange.hasWholeBody || self.isInputClosed else { return false }
        self.exchange = nil
        guard self.isLast else { return true }
        self.context?.close(promise: nil)
        return false
    }

    /// Answers what is not HTTP, and closes.
    private func refuse(_ malformed: MalformedMessage) {
        guard let context = self.context else { return }
        self.isLast = true
        self.input.clear()
        var response = Problem.malformed(malformed).response
        response["Connection"] = "close"
        let wire = WireMessage(channel: context.channel, isHead: false, isHTTP10: false, isPersistent: false)
        let channel = context.channel
        Task {
            _ = try? await wire.send(response)
            try? await channel.close()
        }
    }
}

@available(*, unavailable)
extension ControlConnection: Sendable {}

/// A response on the wire.
struct WireMessage: Sendable {
    let channel: any Channel
    let isHead: Bool
    let isHTTP10: Bool
    /// True if the client lets the connection stay open.
    let isPersistent: Bool

    /// Sends a response whole.
    ///
    /// - Returns: true if another request may follow.
    func send(_ response: Response) async throws -> Bool {
        var response = response
        let staysOpen = self.isPersistent && response["Connection"] == nil
        response["Date"] = Instant.now.text(.http)
        if !staysOpen { response["Connection"] = "close" }
        switch response.body {
        case nil:
            // RFC 9110 section 8.6: neither 204 nor 304 has a length.
            if response.status != 204, response.status != 304 { response["Content-Length"] = "0" }
            try await self.channel.writeAndFlush(self.head(response)).get()
        case .bytes(let bytes):
            response["Content-Length"] = String(bytes.count)
            var buffer = self.head(response)
            if !self.isHead { buffer.writeBytes(bytes) }
            try await self.channel.writeAndFlush(buffer).get()
        case .pieces(let write):
            // To HTTP/1.0 the end of the connection is the end of the body.
            if !self.isHTTP10 { response["Transfer-Encoding"] = "chunked" }
            if self.isHTTP10 { response["Connection"] = "close" }
            try await self.channel.writeAndFlush(self.head(response)).get()
            guard !self.isHead else { return staysOpen }
            try await write(ResponseWriter(channel: self.channel, isChunked: !self.isHTTP10))
            guard !self.isHTTP10 else { return false }
            var last = ByteBuffer()
            WireHead.writeLastChunk(trailers: [], to: &last)
            try await self.channel.writeAndFlush(last).get()
        }
        return staysOpen
    }

    private func head(_ response: Response) -> ByteBuffer {
        var buffer = ByteBuffer()
        WireHead.write(
            status: response.status,
            reason: StatusPhrase.standard(response.status),
            fields: response.fields.filter { !$0.isNamed("connection") },
            closes: response["Connection"] == "close",
            isHTTP10: self.isHTTP10,
            to: &buffer
        )
        return buffer
    }
}
