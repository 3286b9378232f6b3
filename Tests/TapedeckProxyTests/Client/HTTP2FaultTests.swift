import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP2
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// The faults that HTTP/2 has ways of its own for, as a client of each version meets them.
@Suite struct HTTP2FaultTests {
    private static let body = "0123456789"

    /// A deck with a take at `/fault`, and a plain one at `/a`.
    private static func deck(_ take: Take, delay: Int? = nil) throws -> EmbeddedDeck {
        let pacing = Pacing(delay: delay.map(Pacing.Delay.fixed))
        return try EmbeddedDeck(
            try RunningProxy.cassette([
                "/fault": Behaviour(.takes([take]), pacing: pacing),
                "/a": Behaviour(.takes([Take(body: RunningProxy.text("one"))])),
            ])
        )
    }

    private static func take(_ fault: Fault, _ options: FaultOptions = .none) -> Take {
        Take(
            headers: fault.hasResponse ? [HeaderField("content-length", "10")] : [],
            body: fault.hasResponse ? RunningProxy.text(Self.body) : .none,
            fault: fault,
            faultOptions: options
        )
    }

    @Test(
        arguments: [
            (.streamReset, .none, "", 2), (.streamReset, FaultOptions(code: .cancel), "", 8),
            (.streamReset, FaultOptions(code: .http11Required), "", 13),
            (.streamReset, FaultOptions(code: HTTP2ErrorCode(rawValue: 99)), "", 99),
            (.truncatedBody, FaultOptions(code: .enhanceYourCalm), Self.body, 11),
            (.truncatedBody, FaultOptions(code: .refusedStream, after: .bytes(3)), "012", 7),
            (.truncatedBody, FaultOptions(after: .bytes(0)), "", 2),
            (.malformedChunk, FaultOptions(after: .bytes(7)), "0123456", 2),
        ] as [(Fault, FaultOptions, String, UInt32)]
    )
    func `a stream is reset with the code of the fault, after as much of the body as it says`(
        fault: Fault,
        options: FaultOptions,
        body: String,
        code: UInt32
    ) throws {
        for delay in [nil, 1] {
            let deck = try Self.deck(Self.take(fault, options), delay: delay)
            let client = try HTTP2Client(try deck.connect())
            let stream = try client.ask("/fault")
            let other = try client.ask("/a")
            try client.talk()
            deck.eventLoop.advanceTime(by: .milliseconds(1))
            try client.talk()
            #expect(client.answers[stream]?.body == body)
            #expect(client.answers[stream]?.code == code)
            #expect(client.answers[stream]?.isComplete == false)
            #expect(client.answers[other]?.body == "one")
            #expect(client.wentAway == nil)
        }
    }

    @Test func `messages of gRPC are counted, and one that is not whole does not count`() throws {
        let body = [0, 0, 0, 0, 2, 0x61, 0x62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x63].map(UInt8.init)
        for (count, length) in [(0, 0), (1, 7), (2, 12), (3, 18)] {
            var take = Self.take(.truncatedBody, FaultOptions(after: .messages(count)))
            take.headers = []
            take.body = .inline(InlineBody(form: .base64, content: body))
            let client = try HTTP2Client(try Self.deck(take).connect())
            let stream = try client.ask("/fault")
            try client.talk()
            #expect(client.answers[stream]?.body.utf8.count == length)
            #expect(client.answers[stream]?.code == 2)
        }
    }

    @Test func `GOAWAY lets the answers under way end, and takes no further request`() throws {
        let deck = try Self.deck(Self.take(.goAway, FaultOptions(code: .enhanceYourCalm)))
        let client = try HTTP2Client(try deck.connect())
        let other = try client.ask("/a")
        let stream = try client.ask("/fault")
        try client.talk()
        deck.eventLoop.run()
        try client.talk()
        #expect(client.wentAway == 11)
        #expect(client.answers[stream]?.body == Self.body)
        #expect(client.answers[stream]?.isComplete == true)
        #expect(client.answers[other]?.body == "one")
        #expect(!client.session.takesRequests)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
        let entry = try #require(deck.session.journal.entry(2))
        #expect(entry.ending == .complete)
        #expect(entry.request.protocolName == "h2")
        #expect(entry.request.stream == stream)
    }

    @Test func `a GOAWAY that leaves the request out keeps earlier ones`() throws {
        let deck = try Self.deck(Self.take(.goAwayRefused))
        let client = try HTTP2Client(try deck.connect())
        let before = try client.ask("/a")
        let stream = try client.ask("/fault")
        try client.talk()
        #expect(client.wentAway == 0)
        #expect(client.lastStream == before)
        #expect(client.answers[before]?.body == "one")
        #expect(client.answers[stream]?.statuses.isEmpty ?? true)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
        #expect(deck.session.journal.entry(2)?.ending == .cut)
    }

    @Test func `a GOAWAY can leave out earlier requests too`() throws {
        let deck = try Self.deck(Self.take(.goAwayRefused, FaultOptions(code: .internalError, lastStream: 0)))
        let client = try HTTP2Client(try deck.connect())
        _ = try client.ask("/fault")
        try client.talk()
        #expect(client.wentAway == 2)
        #expect(client.lastStream == 0)
    }

    @Test func `trailer fields can be missing`() throws {
        var take = Self.take(.missingTrailers)
        take.trailers = [HeaderField("grpc-status", "0")]
        let client = try HTTP2Client(try Self.deck(take).connect())
        let stream = try client.ask("/fault")
        try client.talk()
        #expect(client.answers[stream]?.body == Self.body)
        #expect(client.answers[stream]?.trailers == [])
        #expect(client.answers[stream]?.isComplete == true)
    }

    @Test(arguments: [(FaultOptions.none, "01234"), (FaultOptions(after: .bytes(2)), "01")])
    func `a body can stop until the client gives up`(options: FaultOptions, body: String) throws {
        for delay in [nil, 1] {
            let deck = try Self.deck(Self.take(.stalledBody, options), delay: delay)
            let client = try HTTP2Client(try deck.connect())
            let stream = try client.ask("/fault")
            try client.talk()
            deck.eventLoop.advanceTime(by: .hours(1))
            try client.talk()
            #expect(client.answers[stream]?.body == body)
            #expect(client.answers[stream]?.isComplete == false)
            #expect(client.answers[stream]?.code == nil)
            #expect(deck.session.journal.entry(1)?.ending == nil)
            client.session.reset(stream, code: .cancel)
            try client.talk()
            #expect(deck.session.journal.entry(1)?.ending == .abandoned)
        }
    }

    @Test func `a window can stay closed`() throws {
        let deck = try Self.deck(Self.take(.stalledWindow))
        let client = try HTTP2Client(try deck.connect())
        let stream = try client.ask("/fault", method: "GET", endsStream: false)
        client.session.send(ByteBuffer(repeating: 1, count: 1 << 20), on: stream)
        try client.talk()
        deck.eventLoop.advanceTime(by: .hours(1))
        try client.talk()
        #expect(!client.session.isWritable(stream))
        #expect(client.answers[stream] == nil)
        let other = try client.ask("/a")
        try client.talk()
        #expect(client.answers[other]?.body == "one")
        #expect(deck.session.journal.entry(1)?.ending == nil)
    }

    @Test func `a frame can break the protocol`() throws {
        let deck = try Self.deck(Self.take(.badFrame))
        let client = try HTTP2Client(try deck.connect())
        _ = try client.ask("/fault")
        try client.talk()
        #expect(client.session.isOver)
        deck.eventLoop.advanceTime(by: .seconds(2))
        #expect(!client.channel.isActive)
        #expect(deck.session.journal.entry(1)?.ending == .cut)
    }

    @Test(
        arguments: [
            (.goAway, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\nConnection: close\r\n\r\n0123456789", false),
            (.goAwayRefused, "", false), (.streamReset, "", true),
            (.missingTrailers, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789", nil),
            (.stalledBody, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n01234", nil), (.stalledWindow, "", nil),
        ] as [(Fault, String, Bool?)]
    )
    func `each fault has an equivalent over HTTP/1.1`(fault: Fault, answer: String, ends: Bool?) throws {
        let deck = try Self.deck(Self.take(fault))
        let channel = try deck.connect()
        try channel.send("GET http://api.example.test/fault HTTP/1.1\r\nHost: api.example.test\r\n\r\n")
        #expect(try channel.received() == answer)
        deck.eventLoop.advanceTime(by: .seconds(3))
        #expect(channel.isActive == (ends == nil))
    }
}
