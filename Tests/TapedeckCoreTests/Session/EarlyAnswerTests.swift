import TapedeckProtobuf
import Testing

@testable import TapedeckCore

/// Calls that are answered before their request is complete.
@Suite struct EarlyAnswerTests {
    private static let url = "https://example.com/demo.Chat/Talk"
    private static let fields = [HeaderField("content-type", "application/grpc")]

    private static func message(_ number: Int, after: Int? = nil) throws -> StoredMessage {
        let bytes = try ProtobufText.bytes(of: "1: \(number)")
        return StoredMessage(.proto, content: Array("1: \(number)".utf8), bytes: bytes, after: after)
    }

    /// A set that asks for these messages, and sends these: each with the number of messages that come before it.
    private static func set(
        _ name: String,
        asks: [Int]?,
        isOpen: Bool = false,
        sends: [(Int, after: Int?)],
        end: Int? = nil
    ) throws -> ResponseSet {
        var request = RequestMatcher(method: "POST", url: try #require(AbsoluteURL(Self.url)))
        request.call = CallMatcher()
        if let asks {
            let items = try asks.map { number -> [BodyMatcher] in
                let message = try #require(ProtobufMessage(parsing: try Self.message(number).bytes))
                return [.proto(ProtobufCondition(text: Array("1: \(number)".utf8), message: message))]
            }
            request.body = [.messages(MessagesMatcher(items, isOpen: isOpen))]
        }
        let messages = try sends.map { try Self.message($0.0, after: $0.after) }
        let list = MessageList(messages, framing: .grpc, codec: .protobuf(nil))
        var take = Take(headers: Self.fields, body: .inline(InlineBody(list)))
        take.endsAfter = end
        return ResponseSet(name: name, request: request, variants: [Variant(name: "a", takes: [take])])
    }

    private static func answer(_ sets: [ResponseSet], came: [Int], sent: Int = 0) throws -> String {
        let tape = Tape([Cassette(name: "tape", responseSets: sets)])
        var state = SessionState(name: "s", mode: .replay, tape: tape)
        let bytes = try came.flatMap { GRPCMessage(bytes: try Self.message($0).bytes).frame }
        var body = ObservedBody(bytes: bytes, sha256: "")
        body.isPart = true
        let key = RequestKey(method: "POST", url: try #require(AbsoluteURL(Self.url)))
        let result = state.earlyAnswer(MatchRequest(key, fields: Self.fields, body: body), sent: sent)
        #expect(state.playedCount == 0)
        return switch result {
        case .wait: "wait"
        case .decide: "decide"
        case .send(_, let messages): "send \(messages)"
        case nil: "none"
        }
    }

    @Test func `a set that sends an answer now is chosen, and one that waits for more is not`() throws {
        let set = try Self.set("a", asks: [1, 2], sends: [(10, after: 1), (20, after: nil)])
        #expect(try Self.answer([set], came: []) == "wait")
        #expect(try Self.answer([set], came: [1]) == "decide")
        let plain = try Self.set("a", asks: [1, 2], sends: [(10, after: nil)])
        #expect(try Self.answer([plain], came: [1]) == "wait")
    }

    @Test func `a take that answers several calls sends early in each`() throws {
        var repeated = try Self.set("a", asks: [1, 2], sends: [(9, after: 0), (20, after: 2)])
        let later = try Self.set("a", asks: [1, 2], sends: [(8, after: 0)])
        repeated.variants[0].behaviour = Behaviour(.takes(repeated.variants[0].takes + later.variants[0].takes))
        repeated.variants[0].behaviour.changeTakes { take in take.times = 2 }
        let rival = try Self.set("b", asks: [1, 3], sends: [(9, after: 0)])
        var state = SessionState(
            name: "s",
            mode: .replay,
            tape: Tape([Cassette(name: "tape", responseSets: [repeated, rival])])
        )
        let key = RequestKey(method: "POST", url: try #require(AbsoluteURL(Self.url)))
        func request(_ came: [Int], isPart: Bool) throws -> MatchRequest {
            let bytes = try came.flatMap { GRPCMessage(bytes: try Self.message($0).bytes).frame }
            var body = ObservedBody(bytes: bytes, sha256: "")
            body.isPart = isPart
            return MatchRequest(key, fields: Self.fields, body: body)
        }
        for isFirst in [true, true, false] {
            var messages: Int?
            if case .send(_, let count) = state.earlyAnswer(try request([], isPart: true), sent: 0) { messages = count }
            #expect(messages == (isFirst ? 1 : nil))
            guard case .decided(.play(let play)) = state.answer(try request([1, 2], isPart: false)) else {
                Issue.record("nothing played")
                return
            }
            #expect(play.number == (isFirst ? 1 : 2))
        }
    }

    @Test func `a call is decided once no set can answer it`() throws {
        let set = try Self.set("a", asks: [1, 2], sends: [(10, after: 1)])
        #expect(try Self.answer([set], came: [3]) == "none")
        #expect(try Self.answer([set], came: [1, 2, 3]) == "none")
    }

    @Test func `messages that all sets share are sent, and the choice waits for one that differs`() throws {
        let sets = try [
            Self.set("a", asks: [1, 2], sends: [(9, after: 0), (10, after: 1), (20, after: 2)]),
            Self.set("b", asks: [1, 3], sends: [(9, after: 0), (10, after: 1), (30, after: 2)]),
        ]
        #expect(try Self.answer(sets, came: []) == "send 1")
        #expect(try Self.answer(sets, came: [], sent: 1) == "wait")
        #expect(try Self.answer(sets, came: [1], sent: 1) == "send 2")
        #expect(try Self.answer(sets, came: [1, 3], sent: 2) == "decide")
        // A set that answers whatever comes is no rival of those with conditions.
        let others = try sets + [Self.set("c", asks: nil, sends: [(8, after: 0)])]
        #expect(try Self.answer(others, came: []) == "send 1")
    }

    @Test func `the first set is chosen if their messages differ`() throws {
        let sets = try [
            Self.set("a", asks: [1, 2], sends: [(10, after: 1)]), Self.set("b", asks: [1, 3], sends: [(11, after: 1)]),
        ]
        #expect(try Self.answer(sets, came: [1]) == "decide")
    }

    @Test func `a set after whose messages more may follow answers by those`() throws {
        let open = try Self.set("open", asks: [1], isOpen: true, sends: [])
        #expect(try Self.answer([open], came: []) == "wait")
        #expect(try Self.answer([open], came: [1]) == "decide")
        #expect(try Self.answer([open], came: [1, 7]) == "decide")
        // Nothing answers it.
        #expect(try Self.answer([open], came: [2]) == "none")
        // A set that says all of its messages may still answer.
        let sets = try [
            Self.set("open", asks: [1], isOpen: true, sends: [(10, after: 1)]),
            Self.set("whole", asks: [1, 2], sends: [(10, after: 1), (20, after: 2)]),
        ]
        #expect(try Self.answer(sets, came: [1]) == "send 1")
        #expect(try Self.answer(sets, came: [1], sent: 1) == "wait")
        #expect(try Self.played(sets, came: [1, 2]) == "whole")
        #expect(try Self.played(sets, came: [1, 3]) == "open")
        #expect(try Self.played(sets, came: [1]) == "open")
        #expect(try Self.played(sets, came: [3]) == nil)
    }

    @Test func `a call that was over before its messages is no rival of one that goes on`() throws {
        let sets = try [
            Self.set("a", asks: [1, 2], sends: [(10, after: 1), (20, after: 2)]),
            Self.set("b", asks: [1, 3], sends: [(10, after: 1), (30, after: 2)]),
            Self.set("over", asks: [], isOpen: true, sends: [], end: 0),
        ]
        #expect(try Self.answer(sets, came: []) == "wait")
        #expect(try Self.answer(sets, came: [1]) == "send 1")
        #expect(try Self.answer(sets, came: [1, 3], sent: 1) == "decide")
        #expect(try Self.played(sets, came: [1, 3]) == "b")
        #expect(try Self.played(sets, came: [4]) == "over")
    }

    /// The name of the set that answers a whole request.
    private static func played(_ sets: [ResponseSet], came: [Int]) throws -> String? {
        var state = SessionState(name: "s", mode: .replay, tape: Tape([Cassette(name: "tape", responseSets: sets)]))
        let bytes = try came.flatMap { GRPCMessage(bytes: try Self.message($0).bytes).frame }
        let key = RequestKey(method: "POST", url: try #require(AbsoluteURL(Self.url)))
        let body = ObservedBody(bytes: bytes, sha256: "")
        guard case .decided(.play(let play)) = state.answer(MatchRequest(key, fields: Self.fields, body: body)) else {
            return nil
        }
        return play.tape.entries[play.entry].set.name
    }

    @Test func `a status may come before the request is complete`() throws {
        let set = try Self.set("a", asks: nil, sends: [], end: 2)
        #expect(set.variants[0].takes[0].messageOrder == MessageOrder(end: 2))
        #expect(try Self.answer([set], came: [1]) == "wait")
        #expect(try Self.answer([set], came: [1, 2]) == "decide")
    }
}
