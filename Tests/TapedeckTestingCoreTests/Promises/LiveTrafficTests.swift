import Foundation
import Synchronization
import TapedeckTestingCore
import Testing

/// Requests as they come, callbacks to the app, and URLSession.shared.
@Suite(.timeLimit(.minutes(20)))
struct LiveTrafficTests {
    @Test func `requests come one by one as they are asked, for a log of one's own`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            _ = try await client.get(Shop.price)
            var log = deck.exchanges().makeAsyncIterator()
            #expect(try await log.next()?.path == "/price")
            let held = try await deck.hold(.get("/stock"))
            async let reply = client.get(Shop.stock)
            let pending = try #require(try await log.next())
            #expect(pending.path == "/stock")
            #expect(pending.outcome == .pending)
            try await held.next(timeout: .seconds(50)).release(.text("0"))
            #expect(try await reply.text == "0")
            var posts = deck.exchanges(matching: .post("/orders")).makeAsyncIterator()
            async let order = posts.next()
            _ = try await client.post("https://shop.example/orders", #"{"sku":"a1"}"#)
            #expect(try await order?.request.text == #"{"sku":"a1"}"#)
        }
    }

    @Test func `a local server is not asked for what lacks on tape, and what passes to it is in the traffic`()
        async throws
    {
        let server = try WireServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive")
        }
        let origin = "http://127.0.0.1:\(server.port)"
        let cassette = Cassette {
            ResponseSet("page", .get("\(origin)/page")) { Variant("found", .text("tape")) }
        }
        try await withTapedeck(.inMemory(cassette)) { deck in
            let client = AppClient(deck)
            #expect(try await client.get("\(origin)/page").text == "tape")
            let other = try await deck.withExpectedUnmatched { try await client.get("\(origin)/other") }
            #expect(other.status == 501)
        }
        #expect(server.requests.isEmpty)

        let place = CodePlace(#fileID, #filePath, #line, #column)
        let deck = try await TapedeckScope.open(TapedeckOptions(), name: "live", at: place)
        #expect(try await AppClient(deck).get("\(origin)/other").text == "live")
        // A stub for a path of any host does not make the server the tape's.
        try await deck.stub(.get("/page"), .text("stub"))
        #expect(try await AppClient(deck).get("\(origin)/other").text == "live")
        try await deck.stub(.get("\(origin)/page"), .text("stub"))
        #expect(try await AppClient(deck).get("\(origin)/other").status == 501)
        let outcome = await TapedeckScope.close(deck, after: nil)
        #expect(outcome.issues.count == 1)
        let passed = "2 requests passed through to 127.0.0.1:\(server.port) (on this machine)"
        #expect(outcome.traffic.contains(passed), "\(outcome.traffic)")
        #expect(server.requests.count == 2)
    }

    @Test func `the sequence ends with the session, and with its task`() async throws {
        let gate = Gate()
        let watching = try await withTapedeck(.shop) { deck in
            let watching = Task {
                var count = 0
                for try await _ in deck.exchanges() {
                    count += 1
                    gate.open()
                }
                return count
            }
            _ = try await AppClient(deck).get(Shop.price)
            await gate.pass()
            let cancelled = Task { for try await _ in deck.exchanges(matching: .get("/never")) {} }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            return watching
        }
        #expect(try await watching.value == 1)
    }

    @Test func `a callback reaches the app's server, and its answer the test`() async throws {
        let app = try WireServer { _, connection in
            connection.send(
                "HTTP/1.1 202 Accepted\r\nX-Seen: yes\r\nContent-Length: 4\r\nConnection: close\r\n\r\nseen"
            )
        }
        try await withTapedeck { deck in
            let url = try #require(URL(string: "http://127.0.0.1:\(app.port)/hook?source=shop"))
            let answer = try await deck.send(to: url, headers: ["X-Signature": "abc"], json: ["event": "paid"])
            #expect(answer.status == 202)
            #expect(answer[header: "x-seen"] == "yes")
            #expect(answer.text == "seen")
        }
        let request = try #require(app.requests.first)
        #expect(request.head.hasPrefix("POST /hook?source=shop HTTP/1.1\r\n"))
        #expect(request["x-signature"] == "abc")
        #expect(request["content-type"] == "application/json")
        #expect(request.body == Data(#"{"event":"paid"}"#.utf8))
    }

    @Test func `a refused callback is an error with its place`() async throws {
        try await withTapedeck { deck in
            let nobody = try #require(URL(string: "https://127.0.0.1:1/hook"))
            let error = await #expect(throws: TapedeckError.self) { try await deck.send(to: nobody) }
            #expect(error?.kind == .badOptions)
            let closed = try #require(URL(string: "http://127.0.0.1:1/hook"))
            let refused = await #expect(throws: TapedeckError.self) { try await deck.send(to: closed) }
            #expect(refused?.kind == .refused)
            #expect(refused?.description.contains("LiveTrafficTests.swift") == true)
        }
    }
}
