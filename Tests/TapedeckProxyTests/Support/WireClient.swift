import NIOCore
import NIOPosix
import TapedeckTLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A client that sends given bytes and notes the received ones.
final class WireClient: Sendable {
    /// The end of a connection.
    enum Ending: Sendable, Equatable {
        /// By FIN; inside TLS, with a close_notify before it.
        case closed
        /// Inside TLS, by FIN without a close_notify.
        case truncated
        /// By RST.
        case reset
    }

    private enum Event: Sendable {
        case bytes([UInt8])
        case handshake
        case end(Ending)
    }

    private let channel: any Channel
    private let events: AsyncStream<Event>

    private init(_ channel: any Channel, _ events: AsyncStream<Event>) {
        self.channel = channel
        self.events = events
    }

    /// - Parameter staysOpen: whether it keeps its socket when the other side has finished sending.
    static func connect(to address: SocketAddress, staysOpen: Bool = false) async throws -> WireClient {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: staysOpen)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
                    return channel
                }
            }
        return WireClient(channel, events)
    }

    func send(_ text: String) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(string: text))
    }

    func send(bytes: [UInt8]) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Sends no more, but still listens.
    func finishSending() async throws {
        try await self.channel.close(mode: .output)
    }

    /// Closes the connection without a message.
    func vanish() async throws {
        if let options = self.channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await self.channel.close()
    }

    func close() async {
        try? await self.channel.close()
    }

    /// Continues inside TLS, trusting `authority`.
    func startTLS(_ host: String, authority: CertificateAuthority) async throws {
        let context = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        try await self.channel.eventLoop.submit {
            let tls = try TLSHandler.client(context: context, host: host)
            try self.channel.pipeline.syncOperations.addHandler(tls, position: .first)
        }.get()
        for await event in self.events {
            if case .handshake = event { return }
        }
    }

    /// The next bytes, until there are `count` of them.
    func read(_ count: Int) async -> String {
        var bytes: [UInt8] = []
        for await event in self.events {
            if case .bytes(let more) = event { bytes += more }
            if bytes.count >= count { break }
            if case .end = event { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the text ends in `text`, or until the end.
    func read(through text: String) async -> String {
        var bytes: [UInt8] = []
        let end = Array(text.utf8)
        for await event in self.events {
            if case .bytes(let more) = event { bytes += more }
            if bytes.suffix(end.count).elementsEqual(end) { break }
            if case .end = event { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the next response, of a known length, or all bytes if the connection ended before.
    func response(isHead: Bool = false) async -> WireResponse {
        var bytes: [UInt8] = []
        for await event in self.events {
            if case .bytes(let more) = event { bytes += more }
            if let response = WireResponse(bytes, isHead: isHead) { return response }
            if case .end = event { break }
        }
        return WireResponse(status: 0, reason: "", fields: [], body: String(decoding: bytes, as: UTF8.self))
    }

    /// Everything until the end.
    func readToEnd() async -> (bytes: [UInt8], ending: Ending?) {
        var bytes: [UInt8] = []
        for await event in self.events {
            switch event {
            case .bytes(let more): bytes += more
            case .handshake: break
            case .end(let ending): return (bytes, ending)
            }
        }
        return (bytes, nil)
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<Event>.Continuation
        private var ending = Ending.closed

        init(continuation: AsyncStream<Event>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.continuation.yield(.bytes(Array(self.unwrapInboundIn(data).readableBytesView)))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is TLSHandshakeCompleted { self.continuation.yield(.handshake) }
            if event is TLSTruncated { self.ending = .truncated }
            if let event = event as? ChannelEvent, event == .inputClosed { self.continuation.yield(.end(.closed)) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is IOError { self.ending = .reset }
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.continuation.yield(.end(self.ending))
            self.continuation.finish()
        }
    }
}
