import Foundation
import TapedeckTestingCore
import TestShare
import Testing

/// Conditions, behaviours and generators as types of one's own.
@Suite(.timeLimit(.minutes(20)))
struct ConditionTests {
    private static let url = "http://shop.example/pages"

    private struct EvenPage: RequestCondition {
        var matcher: RequestMatcher { .get("/pages") }

        func mismatch(_ request: Tapedeck.Request) throws -> String? {
            guard let text = request.query("page"), let page = Int(text) else { return "there is no page" }
            return page.isMultiple(of: 2) ? nil : "page \(page) is odd"
        }
    }

    private actor Counter {
        private var count = 0

        func next() -> Int {
            self.count += 1
            return self.count
        }
    }

    private struct EverySecondFails: Responder {
        let counter = Counter()

        func respond(to request: HeldRequest) async throws -> Tapedeck.Answer? {
            await self.counter.next().isMultiple(of: 2) ? .status(503) : nil
        }
    }

    @Test func `a stub with a condition answers what meets it, and a failure has the reason of what does not`()
        async throws
    {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(where: EvenPage(), .text("even"))
                let client = AppClient(deck)
                #expect(try await client.get("\(Self.url)?page=2").text == "even")
                #expect(try await client.get("\(Self.url)?page=3").status == 501)
                #expect(try await deck.lastUnmatched?.mismatch?.hasSuffix("EvenPage: page 3 is odd") == true)
                #expect(try await deck.requests().compactMap(\.mismatch).count == 1)
            }
        }
        #expect(told.count == 1)
        #expect(told.first?.message.contains("EvenPage: page 3 is odd") == true)
    }

    @Test func `an expectation of a condition says why it does not hold`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/pages"), .status(200))
                deck.expect(where: EvenPage(), .exactly(1))
                deck.expect(where: EvenPage(), .exactly(2))
                let client = AppClient(deck)
                for query in ["page=4", "page=5", "side=1"] { _ = try await client.get("\(Self.url)?\(query)") }
            }
        }
        #expect(told.count == 1)
        let message = told.first?.message ?? ""
        #expect(message.hasPrefix("expected exactly 2 requests to meet EvenPage of GET /pages, and saw 1"))
        #expect(message.contains("EvenPage: page 5 is odd"))
        #expect(message.contains("EvenPage: there is no page"))
    }

    @Test func `a behaviour is a type of one's own`() async throws {
        try await withTapedeck(.shop) { deck in
            try await deck.stub(.get("/price"), by: EverySecondFails())
            let client = AppClient(deck)
            #expect(try await client.get(Shop.price).status == 200)
            #expect(try await client.get(Shop.price).status == 503)
            #expect(try await client.get(Shop.price).status == 200)
        }
    }

    @Test(.long) func `a generator of one's own draws, and that of the session follows from its seed`() async throws {
        let choices: [(weight: Int, answer: Tapedeck.Answer)] = [(3, .text("a")), (0, .text("b")), (2, .text("c"))]
        func draw(_ seed: UInt64) async throws -> [String] {
            try await withTapedeck(.tapedeck().seed(seed)) { deck in
                var generator = deck.generator
                let client = AppClient(deck)
                var drawn: [String] = []
                for _ in 0..<20 {
                    let stub = try await deck.stub(.get("/draw"), .random(choices, using: &generator))
                    drawn.append(try await client.get("http://shop.example/draw").text)
                    try await stub.remove()
                }
                return drawn
            }
        }
        let first = try await draw(7)
        #expect(Set(first) == ["a", "c"])
        #expect(try await draw(7) == first)
        #expect(try await draw(8) != first)
    }

    @Test func `a number may lie between two, and a count in a range`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/pages").query("page", .between(1, 3)), .text("in"))
                let client = AppClient(deck)
                #expect(try await client.get("\(Self.url)?page=2").text == "in")
                try await deck.withExpectedUnmatched { _ = try await client.get("\(Self.url)?page=3") }
                deck.expect(.get("/pages"), .between(1...2))
                deck.expect(.get("/pages"), .between(3...4))
            }
        }
        #expect(told.map(\.message.localizedLowercase).allSatisfy { $0.hasPrefix("expected 3 to 4 requests to match") })
        #expect(told.count == 1)
    }

    @Test func `an answer that takes too long fails its expectation`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                try await deck.stub(.get("/slow"), .text("late").delayed(.milliseconds(120)))
                try await deck.stub(.get("/fast"), .text("early"))
                deck.expect(.get("/slow"), answeredWithin: .milliseconds(100))
                deck.expect(.get("/fast"), answeredWithin: .seconds(60))
                let client = AppClient(deck)
                _ = try await client.get("http://shop.example/slow")
                _ = try await client.get("http://shop.example/fast")
            }
        }
        #expect(told.count == 1)
        #expect(told.first?.message.contains("1 request took longer") == true)
    }

    private func error(_ body: () async throws -> Void) async -> TapedeckError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TapedeckError
        }
    }

    @Test func `a stub that the deck refuses is an error with its line and what was written`() async throws {
        try await withTapedeck { deck in
            // Not in `#expect`, whose line its block has.
            let line = #line + 1
            let error = await self.error { try await deck.stub(.any(pattern: "/a(b"), .text("x")) }
            #expect(error?.description.contains("ConditionTests.swift:\(line)") == true)
            #expect(error?.description.contains("/a(b") == true)
            let missing = await self.error { try await deck.select("x", for: "nowhere") }
            #expect(missing?.description.contains("ConditionTests.swift:\(line + 3)") == true)
        }
    }
}
