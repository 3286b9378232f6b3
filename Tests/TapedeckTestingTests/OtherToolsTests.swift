import Foundation
import TapedeckTesting
import Testing

/// Claims of the page for users of other tools about tests in Swift that no other test shows.
@Suite(.tapedeck(folder: "Fixtures"))
struct OtherToolsTests {
    private static let price = "http://shop.example/price"
    private static let stock = "http://shop.example/stock"

    @Test(.cassette("shop").select("dear", for: "price"))
    func `a closure gets the tape's answer, and changes it`() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.get(Self.price)) { request in
            var response = try await request.proceed()
            response.text += " or less"
            return .response(response)
        }
        #expect(try await Visit.get(Self.price, deck).body == "100 or less")
    }

    @Test(.cassette("shop"))
    func `a closure that returns nil leaves the request to the tape`() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.any) { $0.exchange.path == "/stock" ? .text("none") : nil }
        #expect(try await Visit.get(Self.stock, deck).body == "none")
        #expect(try await Visit.get(Self.price, deck).body == "1")
    }

    @Test func `an answer of one's own is a function that gives one`() async throws {
        func busy(_ seconds: Int) -> Tapedeck.Answer {
            .status(503).header("retry-after", "\(seconds)")
        }
        let deck = try Tapedeck.current
        try await deck.stub(.get(Self.price), .sequence([busy(1), busy(2), .text("1")]))
        for status in [503, 503, 200] {
            #expect(try await Visit.get(Self.price, deck).status == status)
        }
        let seen = try await deck.requests().map { $0.response?[header: "Retry-After"] }
        #expect(seen == ["1", "2", nil])
    }

    @Test func `a condition of one's own is a function that gives a matcher`() async throws {
        func inEuros(_ path: String) -> RequestMatcher {
            .get(path).query("currency", .oneOf("EUR", "eur"))
        }
        let deck = try Tapedeck.current
        try await deck.stub(.any, .text("1"))
        _ = try await Visit.get(Self.price + "?currency=EUR", deck)
        _ = try await Visit.get(Self.price + "?currency=USD", deck)
        deck.expect(inEuros("/price"), .exactly(1))
    }

    @Test(.cassette("shop"))
    func `the requests of a block are separate from others`() async throws {
        let deck = try Tapedeck.current
        _ = try await Visit.get(Self.stock, deck)
        let traffic = try await deck.during(.get("/price")) {
            _ = try await Visit.get(Self.stock, deck)
            return try await Visit.get(Self.price, deck).body
        }
        #expect(traffic.value == "1")
        #expect(traffic.requests.map(\.number) == [3])
    }

    @Test(.cassette("shop"))
    func `a wait returns as soon as the request has come`() async throws {
        let deck = try Tapedeck.current
        async let body = Visit.get(Self.price, deck).body
        let requests = try await deck.waitFor(.get("/price"), timeout: .seconds(60))
        #expect(requests.map(\.url.absoluteString) == [Self.price])
        #expect(try await body == "1")
    }

    @Test(.cassette("shop"))
    func `a request waits until the test releases it`() async throws {
        let deck = try Tapedeck.current
        let held = try await deck.hold(.get("/price"))
        async let body = Visit.get(Self.price, deck).body
        let request = try await held.next(timeout: .seconds(60))
        #expect(try await request.proceed().text == "1")
        try await request.release(.text("at last"))
        #expect(try await body == "at last")
    }

    @Test func `a cassette made in Swift plays as the file does that it prints`() async throws {
        let cassette = Cassette(profiles: ["sale": ["price": "low"]]) {
            ResponseSet("price", .get(Self.price)) {
                Variant("high", .text("2"))
                Variant("low", .text("1"))
            }
        }
        let ways: [CassetteReference] = [
            .inMemory(cassette), .inMemory(cassette, name: "shop.yaml"),
            .files(["shop.yaml": cassette.yaml, "prices.yaml": "low: 1\n"]),
        ]
        for way in ways {
            try await withTapedeck(way) { deck in
                #expect(try await Visit.get(Self.price, deck).body == "2")
                try await deck.apply(profile: "sale")
                #expect(try await Visit.get(Self.price, deck).body == "1")
            }
        }
    }
    @Test(arguments: [[:], ["shop/cart.yaml": "tapedeck: 1\n"], ["prices.yaml": "low: 1\n"]])
    func `files without a cassette are an error`(files: [String: String]) async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await OwnThread.run {
                try TapedeckScope.open(
                    TapedeckOptions.tapedeck(.files(files)),
                    name: "files",
                    at: CodePlace(#fileID, #filePath, #line, #column)
                )
            }
        }
        #expect(error?.description.contains("there is no cassette among the files") ?? false)
    }
}
