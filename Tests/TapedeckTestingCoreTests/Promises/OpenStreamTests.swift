import Foundation
import TapedeckTestingCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers that a test sends part by part.
@Suite(.timeLimit(.minutes(20)))
struct OpenStreamTests {
    private static let url = "https://shop.example/events"

    /// The events of a streamed request: its status, then pieces of the body, then its end.
    private func stream(_ deck: Tapedeck) throws -> (events: AsyncStream<StreamingDelegate.Event>, task: URLSessionTask)
    {
        let delegate = StreamingDelegate()
        let session = URLSession(configuration: deck.urlSessionConfiguration(), delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: Self.url)))
        task.resume()
        return (delegate.events, task)
    }

    /// The next piece of the body, as text; what ends it in words.
    private func next(_ events: inout AsyncStream<StreamingDelegate.Event>.Iterator) async -> String {
        switch await events.next() {
        case .response(let status): "status \(status)"
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .end(let code): code.map { "error \($0.rawValue)" } ?? "end"
        case nil: "nothing"
        }
    }

    @Test func `an event reaches the client before the next is sent, and then the end`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/events"))
            var events = try self.stream(deck).events.makeAsyncIterator()
            let request = try await held.next(timeout: .seconds(50))
            try await request.send(event: "3", name: "unread", id: "7")
            #expect(await self.next(&events) == "status 200")
            #expect(await self.next(&events) == "event: unread\nid: 7\ndata: 3\n\n")
            try await request.send(event: "two\r\nlines")
            #expect(await self.next(&events) == "data: two\ndata: lines\n\n")
            #expect(try await deck.lastRequest?.outcome == .played)
            #expect(try await deck.lastRequest?.duration == nil)
            try await request.end()
            #expect(await self.next(&events) == "end")
            let exchange = try #require(try await deck.lastRequest)
            #expect(exchange.response?.text.hasSuffix("data: two\ndata: lines\n\n") == true)
            #expect(exchange.response?[header: "content-type"] == "text/event-stream")
            let error = await #expect(throws: TapedeckError.self) { try await request.send(event: "late") }
            #expect(error?.description.contains("it has ended") == true)
        }
    }

    @Test(arguments: [HeldRequest.Ending.cut, .reset])
    func `a stream that breaks off is no complete response`(_ ending: HeldRequest.Ending) async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/events"))
            var events = try self.stream(deck).events.makeAsyncIterator()
            let request = try await held.next(timeout: .seconds(50))
            try await request.begin(status: 206, headers: ["x-part": "1"])
            try await request.send(Data("half".utf8))
            #expect(await self.next(&events) == "status 206")
            #expect(await self.next(&events) == "half")
            try await request.end(ending)
            #expect(await self.next(&events) == "error \(URLError.Code.networkConnectionLost.rawValue)")
        }
    }

    @Test func `sending to a client that has left is an error`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/events"))
            let (events, task) = try self.stream(deck)
            var iterator = events.makeAsyncIterator()
            let request = try await held.next(timeout: .seconds(50))
            try await request.send(event: "1")
            #expect(await self.next(&iterator) == "status 200")
            task.cancel()
            for try await exchange in deck.exchanges() where exchange.number == 1 { break }
            var failure: TapedeckError?
            // The deck hears of it in its own time; nothing says when.
            while failure == nil {
                do {
                    try await request.send(event: "more")
                } catch let error as TapedeckError {
                    failure = error
                }
            }
            #expect(failure?.description.contains("its client is gone") == true)
            #expect(try await deck.lastRequest?.outcome == .cancelled)
        }
    }

    @Test func `the end of the session ends a stream that is open`() async throws {
        var events: AsyncStream<StreamingDelegate.Event>.Iterator?
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/events"))
            events = try self.stream(deck).events.makeAsyncIterator()
            try await held.next(timeout: .seconds(50)).send(event: "1")
        }
        var iterator = try #require(events)
        var last = ""
        while !last.hasPrefix("error"), last != "end" { last = await self.next(&iterator) }
        #expect(last == "error \(URLError.Code.networkConnectionLost.rawValue)")
    }
}
