import TapedeckControlAPI
import Testing

@testable import TapedeckControlClient

@Suite struct EventStreamTests {
    private static let entry =
        #"{"number":1,"version":1,"time":"2026-11-21T10:00:00.000Z","method":"GET","url":"http://a/","#
        + #""protocol":"http/1.1","outcome":"played","requestBytes":0,"responseBytes":3}"#

    @Test func `events arrive one by one, however they are cut, until the session ends`() throws {
        let data = "event: entry\r\nid: 1\r\ndata: \(Self.entry)\r\n\r\n"
        let server = try CannedServer(
            .events(
                String(data.prefix(20)),
                String(data.dropFirst(20)),
                ": still here\n\nevent: something new\ndata: 1\n\nevent: missed\ndata: {\"count\": 3}\n\n",
                "event: ended\ndata: {}\n\nevent: entry\ndata: not asked for\n\n",
                ending: .hold
            )
        )
        var seen: [String] = []
        try ControlClient(url: server.url).session("default").follow(after: 4) { event in
            switch event {
            case .entry(let entry): seen.append("\(entry.number) \(entry.outcome)")
            case .session: seen.append("session")
            case .missed(let count): seen.append("missed \(count)")
            case .ended: seen.append("ended")
            }
            return true
        }
        #expect(seen == ["1 played", "missed 3", "ended"])
        #expect(server.requests.map(\.line) == ["GET /v1/sessions/default/events?after=4 HTTP/1.1"])
        #expect(server.requests.first?.head.contains("Accept: text/event-stream") == true)
    }

    @Test func `a follower can leave at any time`() throws {
        let server = try CannedServer(
            .events("event: entry\ndata: \(Self.entry)\n\nevent: entry\ndata: \(Self.entry)\n\n", ending: .hold)
        )
        var count = 0
        try ControlClient(url: server.url).session("default").follow { _ in
            count += 1
            return false
        }
        #expect(count == 1)
    }

    @Test func `a stream without an end means that the deck has stopped`() throws {
        let server = try CannedServer(.events("event: entry\ndata: \(Self.entry)\n\n"))
        let client = try ControlClient(url: server.url)
        var count = 0
        let error = try #require(throws: ControlError.self) {
            try client.session("default").follow { _ in
                count += 1
                return true
            }
        }
        #expect(count == 1)
        #expect(error.kind == .interrupted)
    }

    @Test func `a refused stream has the deck's own message`() throws {
        let problem = #"{"type":"x","title":"Ended","status":410,"detail":"session a has ended"}"#
        let server = try CannedServer(.json(problem, status: "410 Gone", type: "application/problem+json"))
        let client = try ControlClient(url: server.url)
        let error = try #require(throws: ControlError.self) {
            try client.session("a").follow { _ in true }
        }
        #expect(error.description == "session a has ended")
    }

    // MARK: The parser

    private static func events(_ text: String, pieces size: Int) -> [ServerSentEvent] {
        var parser = EventParser()
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).flatMap { start in
            parser.receive(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    @Test(arguments: [1, 2, 3, 1_000])
    func `lines may end in any of the three ways`(_ size: Int) {
        let text = "\u{FEFF}event: a\rdata: 1\rdata: 2\r\rid: 7\r\ndata:3\r\n\r\ndata\n\nevent: none\n\ndata: cut"
        #expect(
            Self.events(text, pieces: size) == [
                ServerSentEvent(name: "a", data: "1\n2", id: nil),
                ServerSentEvent(name: "message", data: "3", id: "7"),
                ServerSentEvent(name: "message", data: "", id: "7"),
            ]
        )
    }
}
