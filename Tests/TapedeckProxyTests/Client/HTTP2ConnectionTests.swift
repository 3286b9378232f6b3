import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP2
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// A client's connection over HTTP/2, without a socket: the client's end is a session, too.
@Suite struct HTTP2ConnectionTests {
    /// The client's end, and what it has heard of each stream.
    private final class Client: HTTP2SessionDelegate {
        struct Answer: Equatable {
            var statuses: [Int] = []
            var fields: [HeaderField] = []
            var body = ""
            var trailers: [HeaderField] = []
            var isComplete = false
            /// The code of a reset.
            var code: UInt32?
        }

        let session: HTTP2Session
        let channel: EmbeddedChannel
        private(set) var answers: [Int32: Answer] = [:]
        private(set) var wentAway: UInt32?

        init(_ channel: EmbeddedChannel) throws {
            self.session = try HTTP2Session(.client)
            self.channel = channel
            self.session.delegate = self
        }

        func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
            if let status = head.status {
                self.answers[stream, default: Answer()].statuses.append(status)
                self.answers[stream]?.fields = head.fields
            } else {
                self.answers[stream]?.trailers = head.fields
            }
            if endsStream { self.answers[stream]?.isComplete = true }
        }

        func received(_ bytes: ByteBuffer, on stream: Int32) {
            self.answers[stream]?.body += String(buffer: bytes)
            self.session.consume(bytes.readableBytes, of: stream)
        }

        func receivedEnd(of stream: Int32) { self.answers[stream]?.isComplete = true }
        func becameWritable(_ stream: Int32) {}
        func closed(_ stream: Int32, code: UInt32) {
            if code != 0 { self.answers[stream, default: Answer()].code = code }
        }
        func goesAway(lastStream: Int32, code: UInt32) { self.wentAway = code }

        /// Sends a request; one without a body is complete.
        func ask(
            _ path: String,
            method: String = "GET",
            authority: String = "api.example.test",
            _ fields: [HeaderField] = [],
            endsStream: Bool = true
        ) throws -> Int32 {
            try #require(
                self.session.request(
                    [(.method, method), (.scheme, "http"), (.authority, authority), (.path, path)],
                    fields,
                    endsStream: endsStream
                )
            )
        }

        /// Has both ends read what the other wrote, until both are silent.
        func talk() throws {
            var isSilent = false
            while !isSilent {
                isSilent = true
                var bytes = ByteBuffer()
                if self.session.write(to: &bytes) {
                    self.session.tellWritten()
                    try self.channel.writeInbound(bytes)
                    isSilent = false
                }
                while let bytes = try self.channel.readOutbound(as: ByteBuffer.self) {
                    try self.session.receive(bytes)
                    isSilent = false
                }
            }
        }
    }

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

    @Test func `a client by prior knowledge gets what is on tape, take after take`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
        let first = try client.ask("/a")
        try client.talk()
        let second = try client.ask("/a")
        try client.talk()
        let answer = Client.Answer(
            statuses: [200],
            fields: [HeaderField("x-name", "One")],
            body: "one",
            isComplete: true
        )
        #expect(client.answers[first] == answer)
        #expect(client.answers[second] == Client.Answer(statuses: [204], isComplete: true))
        #expect(deck.session.journal.entry(2)?.ending == .complete)
    }

    @Test func `interim responses, duplicates and trailer fields come, and fields of a connection do not`() throws {
        let client = try Client(try self.deck().connect())
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
        let client = try Client(try self.deck().connect())
        let stream = try client.ask("/large", method: "HEAD")
        try client.talk()
        #expect(client.answers[stream]?.body == "")
        #expect(client.answers[stream]?.isComplete == true)
    }

    @Test func `requests are answered side by side, and one that waits holds up none`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
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

    @Test func `a request that nothing matches gets a 501, once its body has come`() throws {
        let client = try Client(try self.deck().connect())
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
        let client = try Client(try self.deck().connect())
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

    @Test func `a reset ends the connection, with what was sent before it`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
        let stream = try client.ask("/reset")
        try client.talk()
        #expect(client.answers[stream]?.body == "01234")
        #expect(client.answers[stream]?.isComplete == false)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
    }

    @Test func `a client that resets a stream leaves an exchange that was abandoned`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
        let stream = try client.ask("/slow")
        try client.talk()
        client.session.reset(stream, code: .cancel)
        try client.talk()
        #expect(deck.session.journal.entry(1)?.ending == .abandoned)
        deck.eventLoop.advanceTime(by: .seconds(2))
        try client.talk()
        #expect(client.answers[stream]?.statuses.isEmpty ?? true)
    }

    @Test func `a deck that stops says so, and lets what is under way end`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
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
        let client = try Client(try self.deck().connect())
        let stream = try #require(
            client.session.request([(.method, "CONNECT"), (.authority, "api.example.test:443")], [], endsStream: false)
        )
        let next = try client.ask("/a")
        try client.talk()
        #expect(client.answers[stream]?.statuses == [501])
        #expect(client.answers[next]?.body == "one")
    }

    @Test func `a client that sends no request in time is told to go`() throws {
        let deck = try self.deck()
        let client = try Client(try deck.connect())
        try client.talk()
        deck.eventLoop.advanceTime(by: deck.context.configuration.headTimeout)
        deck.eventLoop.run()
        #expect(!client.channel.isActive)
    }

    @Test func `with HTTP/1.1 alone, the preface is refused like any other nonsense`() throws {
        let deck = try EmbeddedDeck(try RunningProxy.cassette([:])) { $0.speaksHTTP2 = false }
        let channel = try deck.connect()
        try channel.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        #expect(try channel.received().hasPrefix("HTTP/1.1 "))
    }
}
