import NIOCore
import NIOPosix

/// A DNS server over UDP for an isolated command.
final class DatagramNameServer: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let table: NameTable

    init(_ table: NameTable) {
        self.table = table
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let query = self.unwrapInboundIn(data)
        guard let answer = NameAnswer.answer(to: Array(query.data.readableBytesView), from: self.table) else { return }
        let envelope = AddressedEnvelope(remoteAddress: query.remoteAddress, data: ByteBuffer(bytes: answer))
        context.writeAndFlush(self.wrapOutboundOut(envelope), promise: nil)
    }
}

/// A connection of an isolated command to the DNS server over TCP, where each message has its length before it
/// (RFC 7766).
final class StreamNameServer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let table: NameTable
    /// At most one message that is not complete, of 64 KiB.
    private var input = ByteBuffer()

    init(_ table: NameTable) {
        self.table = table
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var data = self.unwrapInboundIn(data)
        self.input.writeBuffer(&data)
        while let query = self.input.readLengthPrefixedSlice(as: UInt16.self) {
            guard let answer = NameAnswer.answer(to: Array(query.readableBytesView), from: self.table) else { continue }
            var output = ByteBuffer(integer: UInt16(answer.count))
            output.writeBytes(answer)
            context.writeAndFlush(self.wrapOutboundOut(output), promise: nil)
        }
        self.input.discardReadBytes()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
