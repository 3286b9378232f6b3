import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckProtobuf
import Testing

/// Calls of gRPC in the cassette that a recording makes, without descriptors.
@Suite
struct RecordedCallTests {
    private func message(_ text: String, flags: UInt8 = 0) throws -> GRPCMessage {
        GRPCMessage(flags: flags, bytes: try ProtobufText.bytes(of: text))
    }

    private func call(
        _ number: Int = 1,
        sends: [GRPCMessage],
        gets: [GRPCMessage],
        fields: [HeaderField] = [],
        order: MessageOrder? = nil,
        trailers: [HeaderField] = [HeaderField("grpc-status", "0")]
    ) -> RecordedExchange {
        var exchange = RecordedExchange.made(
            number,
            "POST",
            "/demo.Greeter/SayHello",
            type: "application/grpc",
            headers: fields,
            body: gets.flatMap(\.frame),
            sends: sends.flatMap(\.frame),
            sentType: "application/grpc"
        )
        exchange.response.trailers = trailers
        exchange.response.isHTTP2 = true
        exchange.response.order = order
        return exchange
    }

    @Test func aCallIsWrittenAsMessages() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            self.call(sends: [try self.message(#"1: "ada""#)], gets: [try self.message(#"1: "Hello ada""#)])
        ])
        let text = try fixture.text
        #expect(
            text.contains(
                "  - name: demo.Greeter/SayHello\n    request:\n      grpc: https://a.test/demo.Greeter/SayHello\n"
            )
        )
        #expect(text.contains("      messages:\n        - proto: '1: \"ada\"'\n"))
        #expect(
            text.contains(
                "            protocol: h2\n            messages:\n              - proto: '1: \"Hello ada\"'\n"
                    + "            grpcStatus: OK\n"
            )
        )
    }

    @Test func differentMessagesGetSetsOfTheirOwn() throws {
        let fixture = try CassetteFixture()
        let calls = try ["ada", "bob", "ada"].enumerated().map { number, name in
            self.call(
                number + 1,
                sends: [try self.message("1: \"\(name)\"")],
                gets: [try self.message("1: \"Hello \(name)\"")]
            )
        }
        try fixture.record(calls)
        let sets = try fixture.load().responseSets
        #expect(sets.map(\.name) == ["demo.Greeter/SayHello", "demo.Greeter/SayHello (2)"])
        #expect(sets.map { $0.variants[0].takes.requestCount } == [2, 1])
        let before = try fixture.text
        try fixture.record(calls)
        #expect(try fixture.text == before)
    }

    @Test func theBodyIsReplayedByteForByte() throws {
        let gzip = try ContentCoder.encode(try ProtobufText.bytes(of: #"1: "packed""#), .gzip)
        let messages = [
            try self.message("1: 1 2: { 3: fixed32 7 }"), GRPCMessage(bytes: []), GRPCMessage(bytes: [0xFF, 0xFF]),
            GRPCMessage(flags: 1, bytes: gzip), GRPCMessage(flags: 1, bytes: [1, 2, 3]),
        ]
        let fixture = try CassetteFixture()
        try fixture.record([
            self.call(sends: [], gets: messages, fields: [HeaderField("grpc-encoding", "gzip")])
        ])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        guard case .inline(let body) = take.body, let list = body.messages else {
            Issue.record("no messages")
            return
        }
        #expect(body.decoded == messages.flatMap(\.frame))
        #expect(list.messages.map(\.form) == [.proto, .proto, .base64, .proto, .base64])
        #expect(list.messages[3].content == Array(#"1: "packed""#.utf8))
        #expect(list.messages[4].compression?.coding == nil)
    }

    /// A stream of which nobody has the encoder keeps its bytes beside what they mean.
    @Test func aStreamOfAnotherEncoderIsKept() throws {
        let content = try ProtobufText.bytes(of: #"1: "\#(String(repeating: "abc", count: 100))""#)
        var stored = try ContentCoder.encode(content, .gzip)
        // Another operating system in the header and a comment make a stream that zlib would not write by itself.
        stored[8] = 9
        stored[9] = 77
        let message = GRPCMessage(flags: 1, bytes: stored)
        let fixture = try CassetteFixture()
        try fixture.record([self.call(sends: [], gets: [message], fields: [HeaderField("grpc-encoding", "gzip")])])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        guard case .inline(let body) = take.body else {
            Issue.record("\(take.body)")
            return
        }
        #expect(body.decoded == message.frame)
    }

    @Test func theOrderIsNoted() throws {
        let fixture = try CassetteFixture()
        let messages = try (1...3).map { try self.message("1: \($0)") }
        let order = MessageOrder(messages: [0, 1, nil], end: nil)
        try fixture.record([self.call(sends: messages, gets: messages, order: order)])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        #expect(take.messageOrder == order)
        #expect(try fixture.text.contains("              - proto: '1: 2'\n                after: 1\n"))
    }

    @Test func aBodyWithoutValidMessagesStaysUnchanged() throws {
        let fixture = try CassetteFixture()
        var exchange = self.call(sends: [], gets: [])
        exchange.response.body = .bytes([0, 0, 0, 0, 9, 1])
        try fixture.record([exchange])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        guard case .inline(let body) = take.body else {
            Issue.record("\(take.body)")
            return
        }
        #expect(body.messages == nil)
        #expect(body.decoded == [0, 0, 0, 0, 9, 1])
    }

    @Test func aJournalKeepsTheOrder() throws {
        let order = MessageOrder(messages: [0, nil, 2], end: 3)
        let exchange = self.call(sends: [], gets: [try self.message("1: 1")], order: order)
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .append)
        try journal.append(exchange)
        #expect(try RecordingJournal.read(folder: fixture.location.journalFolder)?.exchanges == [exchange])
    }
}
