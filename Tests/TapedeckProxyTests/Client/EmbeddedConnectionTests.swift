import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// A connection byte by byte and with a controlled clock, which no socket can guarantee.
@Suite struct EmbeddedConnectionTests {
    private static func deck(_ pacing: Pacing = Pacing()) throws -> EmbeddedDeck {
        try EmbeddedDeck(
            try RunningProxy.cassette([
                "/a": Behaviour(.takes([Take(body: RunningProxy.text("one"))])),
                "/slow": Behaviour(.takes([Take(body: RunningProxy.text("slow"))]), pacing: pacing),
            ])
        )
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
    private static let slowAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"

    @Test func `A request that arrives byte by byte is answered with its last byte`() throws {
        let channel = try Self.deck().connect()
        let request = RunningProxy.get("/a", last: false)
        for byte in request.dropLast() {
            try channel.send(String(byte))
            #expect(try channel.received() == "")
        }
        try channel.send(String(try #require(request.last)))
        #expect(try channel.received() == Self.answer)
    }

    @Test func `Pipelined requests are answered in their order, each when it is due`() throws {
        let deck = try Self.deck(Pacing(delay: .fixed(1_000)))
        let channel = try deck.connect()
        try channel.send(
            RunningProxy.get("/a", last: false) + RunningProxy.get("/slow", last: false)
                + RunningProxy.get("/a", last: false)
        )
        #expect(try channel.received() == Self.answer)
        deck.eventLoop.advanceTime(by: .milliseconds(999))
        #expect(try channel.received() == "")
        deck.eventLoop.advanceTime(by: .milliseconds(1))
        #expect(try channel.received() == Self.slowAnswer + Self.answer)
    }

    @Test func `All pieces of a dropped body are read before the answer`() throws {
        let channel = try Self.deck().connect()
        let head = "PUT \(RunningProxy.origin)/nowhere HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: 6\r\n\r\n"
        try channel.send(head + "abc")
        #expect(try channel.received() == "")
        try channel.send("def" + RunningProxy.get("/a", last: false))
        let received = try channel.received()
        #expect(received.hasPrefix("HTTP/1.1 501 "))
        #expect(received.hasSuffix(Self.answer))
    }

    @Test func `An answer reaches a client whose connection the deck closes in the same turn`() throws {
        let deck = try Self.deck()
        let channel = try deck.connect()
        // The turn is not over, so nothing is flushed yet.
        try channel.writeInbound(ByteBuffer(string: RunningProxy.get("/a", last: false)))
        #expect(try channel.received() == "")
        _ = deck.loop.drain()
        #expect(try channel.received() == Self.answer)
    }

    @Test func `A late head is refused`() throws {
        let deck = try Self.deck()
        let channel = try deck.connect()
        try channel.send("GET /")
        deck.eventLoop.advanceTime(by: deck.context.configuration.headTimeout)
        #expect(try channel.received().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `An exchange is abandoned when its client leaves during a delay`() throws {
        let deck = try Self.deck(Pacing(delay: .fixed(1_000)))
        let channel = try deck.connect()
        try channel.send(RunningProxy.get("/slow", last: false))
        try channel.close().wait()
        let entry = try #require(deck.session.journal.entry(1))
        #expect(entry.ending == .abandoned)
        deck.eventLoop.advanceTime(by: .milliseconds(1_000))
        #expect(try channel.received() == "")
    }

    @Test func `A malformed body ends the connection, and later bytes are not read`() throws {
        let channel = try Self.deck().connect()
        try channel.send(
            "PUT \(RunningProxy.origin)/a HTTP/1.1\r\nHost: api.example.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "xyz\r\n" + RunningProxy.get("/a", last: false)
        )
        let received = try channel.received()
        #expect(received.hasPrefix("HTTP/1.1 400 "))
        #expect(received.contains("Connection: close\r\n"))
        #expect(!received.contains("200 OK"))
    }
}
