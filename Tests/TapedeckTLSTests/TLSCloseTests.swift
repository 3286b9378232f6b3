import NIOCore
import NIOEmbedded
import Testing

@testable import TapedeckTLS

@Suite struct TLSCloseTests {
    @Test func `a clean close is the end of input`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("last", from: pair.server)
        try settle(pair.server.close())
        #expect(!pair.server.isActive)
        try pair.pump()
        pair.client.pipeline.fireChannelInactive()
        #expect(pair.atClient.events == [.handshake, .data, .inputClosed, .inactive])
        #expect(pair.atClient.text == "last")
    }

    @Test func `The end of TCP after close_notify is not reported twice`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.server.close(mode: .output, promise: nil)
        try pair.pump()
        pair.client.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(pair.atClient.events == [.handshake, .inputClosed])
    }

    @Test func `a connection cut without close_notify is truncated`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("part", from: pair.server)
        try pair.pump()
        pair.client.pipeline.fireChannelInactive()
        #expect(pair.atClient.events == [.handshake, .data, .truncated, .inactive])
    }

    @Test func `half a connection cut without close_notify is truncated and can still write`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(pair.atServer.events == [.handshake, .truncated, .inputClosed])
        pair.send("answer", from: pair.server)
        try pair.pump()
        #expect(pair.atClient.text == "answer")
        pair.server.pipeline.fireChannelInactive()
        #expect(pair.atServer.events == [.handshake, .truncated, .inputClosed, .inactive])
    }

    @Test func `one direction can end while the other continues`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("request", from: pair.client)
        let closed = pair.client.close(mode: .output)
        let late = pair.client.writeAndFlush(ByteBuffer(string: "late"))
        try pair.pump()
        try settle(closed)
        #expect(throws: ChannelError.outputClosed) { try settle(late) }
        #expect(pair.atServer.events == [.handshake, .data, .inputClosed])
        #expect(pair.server.isActive)
        pair.send("answer", from: pair.server)
        try pair.pump()
        #expect(pair.atClient.text == "answer")
        try settle(pair.server.close(mode: .output))
        #expect(!pair.server.isActive)
        try pair.pump()
        #expect(!pair.client.isActive)
        #expect(pair.atServer.text == "request")
    }

    @Test func `without half-closure a clean end closes the channel`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral(), halfClosure: false)
        try pair.pump()
        pair.client.close(mode: .output, promise: nil)
        try pair.pump()
        #expect(pair.atServer.events == [.handshake, .inputClosed, .inactive])
        #expect(!pair.server.isActive)
    }

    @Test func `closing the output during the handshake waits for flushed bytes`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        pair.send("request", from: pair.client)
        let unflushed = pair.client.eventLoop.makePromise(of: Void.self)
        pair.client.write(ByteBuffer(string: "never flushed"), promise: unflushed)
        let closed = pair.client.close(mode: .output)
        #expect(throws: ChannelError.outputClosed) { try settle(unflushed.futureResult) }
        try pair.pump()
        try settle(closed)
        #expect(pair.atServer.text == "request")
        #expect(pair.atServer.events == [.handshake, .data, .inputClosed])
    }

    @Test func `closing during the handshake fails pending writes`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        let write = pair.client.writeAndFlush(ByteBuffer(string: "request"))
        try settle(pair.client.close())
        #expect(throws: ChannelError.ioOnClosedChannel) { try settle(write) }
        #expect(pair.atClient.errors.isEmpty)
        #expect(throws: ChannelError.ioOnClosedChannel) {
            try settle(pair.client.writeAndFlush(ByteBuffer(string: "later")))
        }
    }

    @Test func `the end of both directions waits for the last bytes`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.client.close(mode: .output, promise: nil)
        try pair.pump()
        let gate = WriteGate()
        try pair.server.pipeline.syncOperations.addHandler(gate, position: .first)
        pair.send("answer", from: pair.server)
        let closed = pair.server.close(mode: .output)
        #expect(pair.server.isActive)
        #expect(gate.promises.count == 2)
        for promise in gate.promises {
            promise?.succeed(())
        }
        try settle(closed)
        #expect(!pair.server.isActive)
    }

    @Test func `an abandoned connection ends without close_notify`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("part", from: pair.server)
        try settle(pair.server.triggerUserOutboundEvent(AbandonTLS()))
        try settle(pair.server.close())
        try pair.pump()
        pair.client.pipeline.fireChannelInactive()
        #expect(pair.atClient.events == [.handshake, .data, .truncated, .inactive])
        #expect(pair.atServer.events == [.handshake, .inactive])
    }
}
