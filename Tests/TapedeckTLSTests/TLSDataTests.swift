import COpenSSL
import NIOCore
import NIOEmbedded
import TestShare
import Testing

@testable import TapedeckTLS

@Suite struct TLSDataTests {
    @Test func `bytes go both ways`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("ping", from: pair.client)
        try pair.pump()
        pair.send("pong", from: pair.server)
        try pair.pump()
        #expect(pair.atServer.text == "ping")
        #expect(pair.atClient.text == "pong")
    }

    @Test func `everything works one byte at a time`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        pair.send("early", from: pair.client)
        pair.send("early too", from: pair.server)
        try pair.pump(size: 1)
        let body = String(repeating: "0123456789", count: 400)
        pair.send(body, from: pair.server)
        try pair.pump(size: 1)
        pair.client.close(mode: .output, promise: nil)
        try pair.pump(size: 1)
        #expect(pair.atServer.text == "early")
        #expect(pair.atClient.text == "early too" + body)
        #expect(pair.atServer.events == [.handshake, .data, .inputClosed])
        #expect(pair.atClient.errors.isEmpty)
    }

    @Test func `a write waits for the rest of a half message`() throws {
        // OpenSSL takes no data between the two records that a session ticket then needs.
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let context = try TLSServerContext(leaves: LeafCache(authority: authority))
        #expect(SSL_CTX_ctrl(context.handle.pointer, SSL_CTRL_SET_MAX_SEND_FRAGMENT, 512, nil) == 1)
        // A long name and a long session id context make the ticket too large for a record of 512 bytes.
        let padding = [UInt8](repeating: 7, count: 32)
        #expect(SSL_CTX_set_session_id_context(context.handle.pointer, padding, 32) == 1)
        let host = String(repeating: "a.", count: 126) + "b"
        let pair = try Pair(
            TLSHandler.client(context: trust, host: host),
            TLSHandler.server(context: context, fallbackHost: host)
        )
        // All but the tickets.
        while pair.atServer.completion == nil {
            for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
                while pair.atServer.completion == nil, let bytes = try from.readOutbound(as: ByteBuffer.self) {
                    to.pipeline.fireChannelRead(bytes)
                }
            }
        }
        var tickets = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
        let first = try #require(tickets.getInteger(at: tickets.readerIndex + 3, as: UInt16.self))
        let slice = tickets.readSlice(length: 5 + Int(first))
        let record = try #require(slice)
        try #require(record.readableBytes == 5 + 512 + 17)
        pair.client.pipeline.fireChannelRead(record)
        let promise = pair.client.eventLoop.makePromise(of: Void.self)
        pair.client.writeAndFlush(ByteBuffer(string: "held up"), promise: promise)
        pair.send(", then more", from: pair.client)
        #expect(try pair.client.readOutbound(as: ByteBuffer.self) == nil)
        pair.client.pipeline.fireChannelRead(tickets)
        try settle(promise.futureResult)
        try pair.pump()
        #expect(pair.atServer.text == "held up, then more")
        #expect(pair.atClient.errors.isEmpty && pair.atServer.errors.isEmpty)
    }

    @Test(.long) func `a mebibyte arrives whole in pieces of at most 64 KiB`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.pieces = []
        var body = ByteBuffer()
        for index in 0..<(1 << 20) / 4 {
            body.writeInteger(UInt32(index))
        }
        var sizes: [Int] = []
        pair.atClient.onRead = { sizes.append($1.readableBytes) }
        let promise = pair.server.eventLoop.makePromise(of: Void.self)
        pair.server.writeAndFlush(body, promise: promise)
        try pair.pump()
        try settle(promise.futureResult)
        #expect(pair.atClient.received == body)
        #expect(pair.pieces.allSatisfy { $0 <= 64 << 10 })
        // Four records in each but the last.
        #expect(pair.pieces.count == 17)
        #expect(sizes.allSatisfy { $0 <= 64 << 10 })
        #expect(sizes.count <= 34)
    }

    @Test func `writes from before the end of the handshake follow it in order`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        pair.send("one ", from: pair.client)
        pair.send("two", from: pair.client)
        pair.client.write(ByteBuffer(string: " never flushed"), promise: nil)
        try pair.pump()
        #expect(pair.atServer.text == "one two")
    }

    @Test func `small writes of one flush share a record and succeed together`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let promises = (0..<3).map { _ in pair.server.eventLoop.makePromise(of: Void.self) }
        for (promise, text) in zip(promises, ["head", "", "body"]) {
            pair.server.write(ByteBuffer(string: text), promise: promise)
        }
        pair.server.flush()
        for promise in promises {
            try settle(promise.futureResult)
        }
        pair.pieces = []
        try pair.pump()
        // Header, type byte and tag of TLS 1.3 add 22 bytes to a record.
        #expect(pair.pieces == [8 + 22])
        #expect(pair.atClient.text == "headbody")
    }

    @Test func `an empty write succeeds in its turn`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let promise = pair.server.eventLoop.makePromise(of: Void.self)
        pair.server.writeAndFlush(ByteBuffer(), promise: promise)
        try settle(promise.futureResult)
    }

    @Test func `a promise waits for the channel's write`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let gate = WriteGate()
        try pair.server.pipeline.syncOperations.addHandler(gate, position: .first)
        var isDone = false
        let promise = pair.server.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { isDone = true }
        pair.server.writeAndFlush(ByteBuffer(string: "x"), promise: promise)
        #expect(!isDone)
        #expect(gate.promises.count == 1)
        for promise in gate.promises {
            promise?.succeed(())
        }
        #expect(isDone)
    }

    @Test func `a handler above may answer, and close, from within a read`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.atServer.onRead = { context, bytes in
            context.writeAndFlush(NIOAny(bytes), promise: nil)
            context.close(promise: nil)
            context.writeAndFlush(NIOAny(ByteBuffer(string: "too late")), promise: nil)
        }
        pair.send("echo", from: pair.client)
        pair.send("ignored", from: pair.client)
        try pair.pump()
        #expect(pair.atServer.text == "echo")
        #expect(pair.atClient.text == "echo")
        #expect(pair.atClient.events == [.handshake, .data, .inputClosed])
        #expect(pair.atServer.events == [.handshake, .data, .inactive])
    }

    @Test func `each read completes once`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let before = pair.atServer.readCompletes
        pair.send(String(repeating: "x", count: 200_000), from: pair.client)
        try pair.pump()
        #expect(pair.atServer.readCompletes == before + 4)
    }

    @Test func `a read that yielded half a record reads more`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let counter = ReadCounter()
        try pair.server.pipeline.syncOperations.addHandler(counter, position: .first)
        pair.send("request", from: pair.client)
        var record = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        let slice = record.readSlice(length: 10)
        let half = try #require(slice)
        pair.server.read()
        #expect(counter.count == 1)
        pair.server.pipeline.fireChannelRead(half)
        pair.server.pipeline.fireChannelReadComplete()
        #expect(counter.count == 2)
        pair.server.pipeline.fireChannelRead(record)
        pair.server.pipeline.fireChannelReadComplete()
        #expect(pair.atServer.text == "request")
        #expect(counter.count == 2)
    }

    @Test func `broken ciphertext is an error and the end`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        pair.send("request", from: pair.client)
        var record = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        let last = record.writerIndex - 1
        record.setInteger(try #require(record.getInteger(at: last, as: UInt8.self)) ^ 1, at: last)
        pair.server.pipeline.fireChannelRead(record)
        #expect(pair.atServer.errors.map(code(of:)) == [.protocol])
        #expect(pair.atServer.events == [.handshake, .failure, .inactive])
        #expect(pair.atServer.text.isEmpty)
        try pair.pump()
        #expect(pair.atClient.errors.map(code(of:)) == [.protocol])
    }
}

/// Keeps the promises of the ciphertext.
final class WriteGate: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var promises: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.promises.append(promise)
    }
}

/// Counts the channel's reads.
final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var count = 0

    func read(context: ChannelHandlerContext) {
        self.count += 1
        context.read()
    }
}
