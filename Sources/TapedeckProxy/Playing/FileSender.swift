import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore

/// Sends a body from its file, piece by piece: the next piece is read when the one before has gone to the socket, so
/// memory holds one piece whatever the size. Files are read away from the event loop.
final class FileSender {
    /// 256 KiB a piece.
    private static let pieceSize = 256 << 10

    private let file: BodyFile
    private let response: PlayableResponse
    private let deck: ProxyContext

    init(file: BodyFile, response: PlayableResponse, deck: ProxyContext) {
        self.file = file
        self.response = response
        self.deck = deck
    }

    /// Writes the body and what its framing puts behind it.
    func send(on context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        let path = self.file.path
        self.deck.threadPool.runIfActive(eventLoop: context.eventLoop) { try BodyFileReader(path: path) }
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let reader): self.sendNext(reader, sent: 0, context: context, promise: promise)
                case .failure(let error): promise.fail(error)
                }
            }
        return promise.futureResult
    }

    private func sendNext(
        _ reader: BodyFileReader,
        sent: Int,
        context: ChannelHandlerContext,
        promise: EventLoopPromise<Void>
    ) {
        // Never more than was promised; at the end one byte more is asked for, to notice a file that has grown.
        let wanted = max(1, min(Self.pieceSize, self.file.size - sent))
        self.deck.threadPool.runIfActive(eventLoop: context.eventLoop) { try reader.read(upTo: wanted) }
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .failure(let error):
                    promise.fail(error)
                case .success(let bytes) where bytes.isEmpty || sent >= self.file.size:
                    self.finish(sent: sent + bytes.count, context: context, promise: promise)
                case .success(let bytes):
                    var buffer = context.channel.allocator.buffer(capacity: bytes.count + 16)
                    if self.response.framing == .chunked {
                        WireHead.writeChunk(ByteBuffer(bytes: bytes), to: &buffer)
                    } else {
                        buffer.writeBytes(bytes)
                    }
                    let written = context.eventLoop.makePromise(of: Void.self)
                    context.writeAndFlush(NIOAny(buffer), promise: written)
                    written.futureResult.assumeIsolated().whenComplete { result in
                        switch result {
                        case .success:
                            self.sendNext(reader, sent: sent + bytes.count, context: context, promise: promise)
                        case .failure(let error): promise.fail(error)
                        }
                    }
                }
            }
    }

    private func finish(sent: Int, context: ChannelHandlerContext, promise: EventLoopPromise<Void>) {
        // The length has been promised to the client: a file that changed underneath must not pass for complete.
        guard sent == self.file.size else {
            promise.fail(BodyFileReader.SizeChanged(path: self.file.path, expected: self.file.size, found: sent))
            return
        }
        if self.response.framing == .chunked, self.response.ending != .cut {
            var buffer = context.channel.allocator.buffer(capacity: 64)
            WireHead.writeLastChunk(trailers: self.response.trailers, to: &buffer)
            context.write(NIOAny(buffer), promise: nil)
        }
        promise.succeed()
    }
}
