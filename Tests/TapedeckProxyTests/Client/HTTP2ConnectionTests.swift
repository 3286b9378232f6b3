import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP2
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// A client's connection over HTTP/2, without a socket: the client's end is a session, too.
@Suite struct HTTP2ConnectionTests {
    private static let large = String(repeating: "0123456789abcdef", count: 50_000)

    private func deck() throws -> EmbeddedDeck {
        func fault(_ fault: Fault) -> Behaviour {
            let takes =
                fault.hasResponse ? [Take(body: RunningProxy.text("0123456789"), fault: fault)] : [Take(fault: fault)]
            return Behaviour(.takes(takes))
        }
        return try EmbeddedDeck(
            try RunningProxy.cassette([
                "/a": Behaviour(
                    .takes([
                        Take(headers: [HeaderField("X-Name", "One")], body: RunningProxy.text("one")),
                        Take(status: 204),
                    ])
                ),
                "/rich": Behaviour(
                    .takes([
                        Take(
                            interim: [Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")])],
                            headers: [
                                HeaderField("Transfer-Encoding", "chunked"), HeaderField("Connection", "close"),
                                HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2"),
                            ],
                            body: RunningProxy.text("rich"),
                            trailers: [HeaderField("Grpc-Status", "0")]
                        )
                    ])
                ),
                "/large": Behaviour(.takes([Take(body: RunningProxy.text(Self.large))])),
                "/slow": Behaviour(
                    .takes([Take(body: RunningProxy.text("slow"))]),
                    pacing: Pacing(delay: .fixed(1_000))
                ),
                "/stream": fault(.streamReset), "/truncated": fault(.truncatedBody), "/reset": fault(.resetDuringBody),
                "/refused": fault(.connectionRefused),
            ])
        )
    }

    @Test func `an HTTP/2 client by prior knowledge gets recorded answers, take after take`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        let first = try client.ask("/a")
        try client.talk()
        let second = try client.ask("/a")
        try client.talk()
        let answer = HTTP2Client.Answer(
            statuses: [200],
            fields: [HeaderField("x-name", "One")],
            body: "one",
            isComplete: true
        )
        #expect(client.answers[first] == answer)
        #expect(client.answers[second] == HTTP2Client.Answer(statuses: [204], isComplete: true))
        #expect(deck.session.journal.entry(2)?.ending == .complete)
    }

    @Test func `interim responses, duplicates and trailer fields pass, and fields of a connection do not`() throws {
        let client = try HTTP2Client(try self.deck().connect())
        let stream = try client.ask("/rich")
        try client.talk()
        let answer = try #require(client.answers[stream])
        #expect(answer.statuses == [103, 200])
        #expect(answer.fields == [HeaderField("set-cookie", "a=1"), HeaderField("set-cookie", "b=2")])
        #expect(answer.body == "rich")
        #expect(answer.trailers == [HeaderField("grpc-status", "0")])
        #expect(answer.isComplete)
    }

    @Test func `an answer to HEAD has no body`() throws {
        let client = try HTTP2Client(try self.deck().connect())
        let stream = try client.ask("/large", method: "HEAD")
        try client.talk()
        #expect(client.answers[stream]?.body == "")
        #expect(client.answers[stream]?.isComplete == true)
    }

    @Test func `requests are answered concurrently, and a slow one does not delay others`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        let slow = try client.ask("/slow")
        let large = try client.ask("/large")
        let quick = try client.ask("/a")
        try client.talk()
        #expect(client.answers[slow] == nil)
        #expect(client.answers[large]?.body == Self.large)
        #expect(client.answers[quick]?.body == "one")
        deck.eventLoop.advanceTime(by: .seconds(1))
        try client.talk()
        #expect(client.answers[slow]?.body == "slow")
    }

    @Test func `an unmatched request gets a 501, once its body has arrived`() throws {
        let client = try HTTP2Client(try self.deck().connect())
        let stream = try client.ask("/none", method: "POST", endsStream: false)
        client.session.send(ByteBuffer(string: "abc"), on: stream)
        try client.talk()
        #expect(client.answers[stream] == nil)
        client.session.end(stream)
        try client.talk()
        #expect(client.answers[stream]?.statuses == [501])
        #expect(client.answers[stream]?.isComplete == true)
    }

    @Test func `a fault of a stream or a body resets the one stream`() throws {
        let client = try HTTP2Client(try self.deck().connect())
        let stream = try client.ask("/stream")
        let truncated = try client.ask("/truncated")
        let refused = try client.ask("/refused")
        try client.talk()
        #expect(client.answers[stream]?.code == 2)
        #expect(client.answers[truncated]?.body == "0123456789")
        #expect(client.answers[truncated]?.code == 2)
        #expect(client.answers[refused]?.statuses == [502])
        let next = try client.ask("/a")
        try client.talk()
        #expect(client.answers[next]?.body == "one")
    }

    @Test func `a reset ends the connection after the bytes sent before it`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        let stream = try client.ask("/reset")
        try client.talk()
        #expect(client.answers[stream]?.body == "01234")
        #expect(client.answers[stream]?.isComplete == false)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
    }

    @Test func `an exchange is abandoned when its client resets the stream`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        let stream = try client.ask("/slow")
        try client.talk()
        client.session.reset(stream, code: .cancel)
        try client.talk()
        #expect(deck.session.journal.entry(1)?.ending == .abandoned)
        deck.eventLoop.advanceTime(by: .seconds(2))
        try client.talk()
        #expect(client.answers[stream]?.statuses.isEmpty ?? true)
    }

    @Test func `a stopping deck sends GOAWAY and finishes current requests`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        let stream = try client.ask("/slow")
        try client.talk()
        let drained = deck.loop.drain()
        try client.talk()
        #expect(client.wentAway == 0)
        deck.eventLoop.run()
        try client.talk()
        #expect(client.answers[stream]?.body == "slow")
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
        try drained.wait()
    }

    @Test func `CONNECT is refused on its stream alone`() throws {
        let client = try HTTP2Client(try self.deck().connect())
        let stream = try #require(
            client.session.request([(.method, "CONNECT"), (.authority, "api.example.test:443")], [], endsStream: false)
        )
        let next = try client.ask("/a")
        try client.talk()
        #expect(client.answers[stream]?.statuses == [501])
        #expect(client.answers[next]?.body == "one")
    }

    @Test func `a client that sends no request in time is disconnected`() throws {
        let deck = try self.deck()
        let client = try HTTP2Client(try deck.connect())
        try client.talk()
        deck.eventLoop.advanceTime(by: deck.context.configuration.headTimeout)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
    }

    @Test func `the HTTP/2 preface gets an HTTP/1.1 response if HTTP/2 is off`() throws {
        let deck = try EmbeddedDeck(try RunningProxy.cassette([:])) { $0.speaksHTTP2 = false }
        let channel = try deck.connect()
        try channel.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        #expect(try channel.received().hasPrefix("HTTP/1.1 "))
    }
}
