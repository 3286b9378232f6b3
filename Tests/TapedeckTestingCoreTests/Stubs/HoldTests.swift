import Foundation
import TapedeckTestingCore
import Testing

/// Requests that wait until the test releases them.
@Suite(.timeLimit(.minutes(20)))
struct HoldTests {
    @Test func `a held request waits for its release`() async throws {
        try await withTapedeck(.shop) { deck in
            let held = try await deck.hold(.get(Shop.price))
            let client = AppClient(deck)
            async let reply = client.get(Shop.price)
            let request = try await held.next(timeout: .seconds(50))
            #expect(request.exchange.url.absoluteString == Shop.price)
            #expect(try await deck.lastRequest?.outcome == .pending)
            try await request.release(.json(["amount": 2]))
            #expect(try await reply.text == #"{"amount":2}"#)
        }
    }

    @Test func `a released request gets the tape's answer`() async throws {
        try await withTapedeck(.cassette(.shop).select("dear", for: "price")) { deck in
            let held = try await deck.hold(.get(Shop.price))
            let client = AppClient(deck)
            async let reply = client.get(Shop.price)
            try await held.next(timeout: .seconds(50)).letGo()
            #expect(try await reply.text == #"{"amount":100,"currency":"NOK"}"#)
        }
    }

    @Test func `the tape's answer can be requested repeatedly, and stays the same`() async throws {
        try await withTapedeck(.shop) { deck in
            let held = try await deck.hold(.get(Shop.stock))
            let client = AppClient(deck)
            async let reply = client.get(Shop.stock)
            let request = try await held.next(timeout: .seconds(50))
            #expect(try await request.proceed().text == "2")
            #expect(try await request.proceed().text == "2")
            try await request.release(.response(try await request.proceed()))
            #expect(try await reply.text == "2")
        }
    }

    @Test func `two held requests may be released in reverse`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.any("/feed/{page}"))
            let client = AppClient(deck)
            async let one = client.get("http://api.example/feed/1")
            let first = try await held.next(timeout: .seconds(50))
            async let two = client.get("http://api.example/feed/2")
            let second = try await held.next(timeout: .seconds(50))
            #expect([first.exchange.path, second.exchange.path] == ["/feed/1", "/feed/2"])
            try await second.release(.text("b"))
            #expect(try await two.text == "b")
            try await first.release(.text("a"))
            #expect(try await one.text == "a")
        }
    }

    @Test func `a missing request is an error that says so`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/feed"))
            let error = await #expect(throws: TapedeckError.self) { try await held.next(timeout: .milliseconds(1)) }
            #expect(error?.kind == .timeout)
            #expect(error?.description.contains("GET /feed") == true)
        }
    }

    @Test func `waiting for a request can be cancelled`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/feed"))
            let waiting = Task { try await held.next(timeout: .seconds(600)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func `a request is released once, with one response`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/feed"))
            let client = AppClient(deck)
            async let reply = client.get("http://api.example/feed")
            let request = try await held.next(timeout: .seconds(50))
            let several = await #expect(throws: TapedeckError.self) {
                try await request.release(.sequence([.text("a"), .text("b")]))
            }
            #expect(several?.kind == .badOptions)
            try await request.release(.text("a"))
            #expect(try await reply.text == "a")
            let again = await #expect(throws: TapedeckError.self) { try await request.release(.text("b")) }
            #expect(again?.kind == .refused)
            #expect(again?.description.contains("let go already") == true)
        }
    }

    @Test func `a request without a client cannot be released`() async throws {
        try await withTapedeck { deck in
            let held = try await deck.hold(.get("/feed"))
            let client = AppClient(deck)
            let reply = Task { try await client.get("http://api.example/feed") }
            let request = try await held.next(timeout: .seconds(50))
            reply.cancel()
            await #expect(throws: (any Error).self) { try await reply.value }
            try await deck.untilAbandoned()
            let error = await #expect(throws: TapedeckError.self) { try await request.release(.text("late")) }
            #expect(error?.description.contains("its client is gone") == true)
        }
    }

    @Test func `a stopped hold holds no further requests, and held ones stay held`() async throws {
        try await withTapedeck(.shop) { deck in
            let held = try await deck.hold(.get(Shop.price))
            let client = AppClient(deck)
            async let first = client.get(Shop.price)
            let request = try await held.next(timeout: .seconds(50))
            try await held.stop()
            #expect(try await client.get(Shop.price).text.contains("NOK"))
            try await request.release(.text("released"))
            #expect(try await first.text == "released")
        }
    }

    @Test func `a request that is never released fails the test at its hold, and its client gets an answer`()
        async throws
    {
        var reply: Task<AppClient.Reply, any Error>?
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck { deck in
                let held = try await deck.hold(.get("/feed"))
                let client = AppClient(deck)
                reply = Task { try await client.get("http://api.example/feed") }
                _ = try await held.next(timeout: .seconds(50))
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message.hasPrefix("1 request for GET /feed still held at the end") == true)
        let status = try await reply?.value.status
        #expect(status == 410)
    }
}
