import Foundation
import TapedeckTestingCore
import TestShare
import Testing

/// The requests as a test sees them.
@Suite(.timeLimit(.minutes(20)))
struct TrafficTests {
    private struct Order: Codable, Equatable {
        var sku: String
        var count: Int
    }

    @Test func `requests have their headers, bodies and outcome`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            _ = try await client.get(Shop.price)
            _ = try await client.post("https://shop.example/orders", #"{"sku":"a1","count":2}"#)
            let orders = try await deck.requests(matching: .post("/orders"))
            #expect(orders.count == 1)
            let order = try #require(orders.first)
            #expect(order.number == 2)
            #expect(order.path == "/orders")
            #expect(order.request[header: "content-TYPE"] == "application/json")
            #expect(order.request.headers.allSatisfy { !$0.name.lowercased().hasPrefix("x-tapedeck") })
            #expect(try order.request.json() == Order(sku: "a1", count: 2))
            #expect(try order.request.json()["count"] == 2)
            #expect(order.played?.cassette == "shop")
            #expect(order.played?.take == 1)
            #expect(order.outcome == .played)
            #expect(order.status == 201)
            #expect(order.description == "POST https://shop.example/orders → 201 \"order\", taken")
        }
    }

    @Test func `a request is pending during a delay, and cancelled without a response once its client has left`()
        async throws
    {
        try await withTapedeck { deck in
            try await deck.stub(.get("/slow"), .text("late").delayed(.seconds(600)))
            let client = AppClient(deck)
            let asked = Task { try await client.get("https://api.example/slow") }
            try await deck.waitFor(.get("/slow"))
            let pending = try #require(try await deck.lastRequest)
            #expect(pending.outcome == .pending)
            #expect(pending.status == nil && pending.response == nil && pending.duration == nil)
            asked.cancel()
            _ = await asked.result
            while try await deck.lastRequest?.outcome == .pending { await Task.yield() }
            let cancelled = try #require(try await deck.lastRequest)
            #expect(cancelled.outcome == .cancelled)
            #expect(cancelled.status == nil && cancelled.response == nil)
            #expect(cancelled.duration != nil)
            #expect(cancelled.played?.variant == "stub")
        }
    }

    @Test func `a response has its headers and body, too`() async throws {
        try await withTapedeck(.shop) { deck in
            _ = try await AppClient(deck).get(Shop.price)
            let last = try await deck.lastRequest
            let response = try #require(last?.response)
            #expect(response[header: "x-shop"] == "1")
            #expect(try response.json()["amount"] == 1)
        }
    }

    @Test func `a body that is not JSON, or other JSON, is an error that shows it`() async throws {
        try await withTapedeck(.tapedeck().allowsUnmatched()) { deck in
            let client = AppClient(deck)
            _ = try await client.post("http://api.example/form", "a=1&b=2", type: "application/x-www-form-urlencoded")
            let form = try #require(try await deck.lastRequest)
            let error = #expect(throws: TapedeckError.self) { try form.request.json() as Tapedeck.JSON }
            #expect(error?.kind == .notDecodable)
            #expect(error?.description.contains("it is: a=1&b=2") == true)
            _ = try await client.post("http://api.example/orders", #"{"sku":"a1"}"#)
            let order = try #require(try await deck.lastRequest)
            let other = #expect(throws: TapedeckError.self) { try order.request.json(as: Order.self) }
            #expect(other?.description.contains("no JSON for Order") == true)
            #expect(other?.description.contains(#"it is: {"sku":"a1"}"#) == true)
        }
    }

    @Test func `before the first request there is no last one`() async throws {
        try await withTapedeck { deck in
            let (last, unmatched) = (try await deck.lastRequest, try await deck.lastUnmatched)
            #expect(last == nil)
            #expect(unmatched == nil)
        }
    }

    @Test func `the last unmatched request has its near misses`() async throws {
        try await withTapedeck(.cassette(.shop).allowsUnmatched()) { deck in
            let client = AppClient(deck)
            _ = try await client.post("https://shop.example/orders", #"{"sku":"b2"}"#)
            _ = try await client.get(Shop.price)
            let unmatched = try #require(try await deck.lastUnmatched)
            #expect(unmatched.number == 1)
            #expect(unmatched.outcome == .unmatched)
            let mismatch = try #require(unmatched.mismatch)
            #expect(mismatch.contains("near is \"order\" of shop"))
            #expect(mismatch.contains("b2"))
        }
    }

    @Test(.long) func `more requests than a page are all there, in order`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.any("/count/{number}"), .text("x"))
            let client = AppClient(deck)
            for number in 1...230 { _ = try await client.get("http://api.example/count/\(number)") }
            #expect(try await deck.requests().map(\.number) == Array(1...230))
            #expect(try await deck.requests(matching: .get("/count/{number}")).count == 230)
            #expect(try await deck.requests(matching: .get("/count/229")).map(\.number) == [229])
            deck.expect(.any("/count/{number}"), .exactly(230))
        }
    }

    @Test func `a body as large as a deck keeps is whole`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.post("/upload"), .text("x"))
            let text = String(repeating: "0123456789", count: 50_000)
            _ = try await AppClient(deck).post("http://api.example/upload", "[\"\(text)\"]")
            let upload = try #require(try await deck.lastRequest)
            #expect(!upload.request.isCut)
            #expect(try upload.request.json() == [text])
            #expect(try await deck.requests().first?.request == upload.request)
        }
    }

    @Test func `a larger body is cut, and cannot be decoded as JSON`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.post("/upload"), .text("x"))
            let text = String(repeating: "0123456789", count: 300_000)
            _ = try await AppClient(deck).post("http://api.example/upload", "[\"\(text)\"]")
            let upload = try #require(try await deck.lastRequest)
            #expect(upload.request.isCut)
            #expect(upload.request.body.count == 1 << 20)
            let error = #expect(throws: TapedeckError.self) { try upload.request.json(as: [String].self) }
            #expect(error?.description.contains("the deck kept no more than its first 1048576 bytes") == true)
        }
    }

    @Test func `a program in a child process is reached, too`() async throws {
        try await withTapedeck(.shop) { deck in
            let environment = try deck.environment
            #expect(try await Curl.run([Shop.price], environment: environment).contains("NOK"))
            let authority = try #require(environment["SSL_CERT_FILE"])
            let price = try await Curl.run(
                ["--noproxy", "", "--proxy", deck.proxyURL.absoluteString, "--cacert", authority, Shop.price]
            )
            #expect(price.contains("NOK"))
            deck.expect(.get("/price"), .exactly(2))
        }
    }

    @Test func `a client with only a base URL is recorded with the real origin`() async throws {
        try await withTapedeck(.shop) { deck in
            let base = try deck.baseURL(for: #require(URL(string: "https://shop.example")))
            let output = try await Curl.run(["--noproxy", "*", base.appending(path: "price").absoluteString])
            #expect(output.contains("NOK"))
            let last = try await deck.lastRequest
            #expect(last?.url.absoluteString == Shop.price)
            let other = try #require(URL(string: "ftp://shop.example"))
            let error = #expect(throws: TapedeckError.self) { try deck.baseURL(for: other) }
            #expect(error?.kind == .badOptions)
        }
    }
}
