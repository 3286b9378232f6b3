import NIOCore
import NIOPosix

/// A connection that shows what comes, as it comes.
final class ControlProbe: Sendable {
    private let channel: any Channel
    private let pieces: AsyncStream<String>

    private init(_ channel: any Channel, _ pieces: AsyncStream<String>) {
        self.channel = channel
        self.pieces = pieces
    }

    static func connect(port: Int) async throws -> ControlProbe {
        let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
                    return channel
                }
            }
        return ControlProbe(channel, pieces)
    }

    func send(_ text: String) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Says that nothing more comes.
    func finishSending() async throws {
        try await self.channel.close(mode: .output)
    }

    func close() async throws {
        try await self.channel.close()
    }

    /// Everything, up to the end of the connection.
    func readToEnd() async -> String {
        var text = ""
        for await piece in self.pieces { text += piece }
        return text
    }

    /// Reads until `mark` arrives, or the connection ends.
    func read(until mark: String) async -> String {
        var text = ""
        for await piece in self.pieces {
            text += piece
            if text.contains(mark) { return text }
        }
        return text
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<String>.Continuation

        init(continuation: AsyncStream<String>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.continuation.yield(String(buffer: self.unwrapInboundIn(data)))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.continuation.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
