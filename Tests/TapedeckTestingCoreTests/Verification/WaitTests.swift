import Foundation
import Synchronization
import TapedeckTestingCore
import Testing

/// Waiting for requests, and watching for their absence.
@Suite(.timeLimit(.minutes(20)))
struct WaitTests {
    @Test func `earlier requests count`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            for _ in 0..<3 { _ = try await client.get(Shop.price) }
            let seen = try await deck.waitFor(.get("/price"), count: 3)
            #expect(seen.map(\.number) == [1, 2, 3])
        }
    }

    @Test func `later requests end the wait`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            _ = try await client.get(Shop.stock)
            async let seen = deck.waitFor(.get("/price"), count: 2, timeout: .seconds(50))
            for _ in 0..<2 { _ = try await client.get(Shop.price) }
            #expect(try await seen.count == 2)
        }
    }

    @Test func `waiting in vain fails the test once, where it waits`() async throws {
        let line = #line + 4
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                _ = try await AppClient(deck).get(Shop.stock)
                try await deck.waitFor(.get("/price"), count: 2, timeout: .milliseconds(1))
            }
        }
        #expect(told.first?.line == line)
        let message = try #require(told.first?.message)
        #expect(message.hasPrefix("waited for 2 requests to match GET /price, and 0.001 seconds went by with 0"))
        #expect(message.contains("GET \(Shop.stock) → 200"))
        // The thrown error says that the issue was reported; the second issue is that error, because nothing catches it
        // here.
        #expect(told.dropFirst().allSatisfy { $0.message.hasPrefix("threw ") })
    }

    @Test func `quiet means no request, or none that matches`() async throws {
        try await withTapedeck(.shop) { deck in
            _ = try await AppClient(deck).get(Shop.price)
            try await deck.expectQuiet(for: .milliseconds(1))
            try await deck.expectQuiet(for: .milliseconds(1), .get("/price"))
        }
    }

    @Test func `a request in a quiet time fails the test at once`() async throws {
        let line = #line + 11
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                let client = AppClient(deck)
                // Not cancelled: Foundation on Linux may deadlock when a request is cancelled as its answer comes
                // (swift-corelibs-foundation, issue 5412).
                let over = Mutex(false)
                let asking = Task {
                    while !over.withLock({ $0 }) { _ = try await client.get(Shop.price) }
                }
                // Ends with the first such request, not after five minutes.
                try await deck.expectQuiet(for: .seconds(300), .get("/price"))
                over.withLock { $0 = true }
                _ = await asking.result
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message.hasPrefix("expected no request that matches GET /price for 300.0 seconds") == true)
    }

    @Test func `only requests during a block are its traffic`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            _ = try await client.get(Shop.price)
            let traffic = try await deck.during {
                _ = try await client.get(Shop.stock)
                return try await client.get(Shop.price).status
            }
            _ = try await client.get(Shop.price)
            #expect(traffic.value == 200)
            #expect(traffic.count == 2)
            #expect(traffic.requests.map(\.url.absoluteString) == [Shop.stock, Shop.price])
            let prices = try await deck.during(.get("/price")) {
                for url in [Shop.stock, Shop.price] { _ = try await client.get(url) }
            }
            #expect(prices.requests.map(\.number) == [6])
        }
    }

    @Test func `an expected unmatched request is not a failure`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            let status = try await deck.withExpectedUnmatched {
                try await client.get("https://shop.example/nowhere").status
            }
            #expect(status == 501)
            try await deck.withExpectedUnmatched(.get("/else")) {
                _ = try await client.get("https://shop.example/else")
            }
        }
    }

    @Test func `an expected unmatched request that does not come fails the test`() async throws {
        let line = #line + 4
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                let client = AppClient(deck)
                try await deck.withExpectedUnmatched { _ = try await client.get(Shop.price) }
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message.contains("and there was none") == true)
    }

    @Test func `an unmatched request that does not match the expected one is a failure`() async throws {
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                let client = AppClient(deck)
                try await deck.withExpectedUnmatched(.get("/expected")) {
                    for path in ["expected", "other"] { _ = try await client.get("https://shop.example/\(path)") }
                }
            }
        }
        #expect(told.count == 1)
        #expect(told.first?.message.hasPrefix("nothing on tape answers GET https://shop.example/other") == true)
    }

    @Test func `a block that throws for its 501 fails the test with that alone`() async throws {
        struct NotFound: Error {}
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                try await deck.withExpectedUnmatched {
                    _ = try await AppClient(deck).get("https://shop.example/nowhere")
                    throw NotFound()
                }
            }
        }
        #expect(told.map(\.message) == ["threw NotFound()"])
    }
}
