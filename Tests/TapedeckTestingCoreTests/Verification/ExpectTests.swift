import TapedeckTestingCore
import Testing

/// Expectations, checked when the session ends.
@Suite(.timeLimit(.minutes(20)))
struct ExpectTests {
    @Test(
        arguments: [
            (.exactly(2), 2, nil), (.exactly(2), 1, "exactly 2 requests"), (.exactly(1), 2, "exactly 1 request"),
            (.atLeast(1), 2, nil), (.atLeast(3), 2, "at least 3 requests"), (.atMost(2), 2, nil),
            (.atMost(1), 2, "at most 1 request"), (.never, 0, nil), (.never, 1, "no request"),
        ] as [(ExpectedCount, Int, String?)]
    )
    func `a count holds or fails the test where it is expected`(
        count: ExpectedCount,
        requests: Int,
        words: String?
    ) async throws {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                deck.expect(.get("/price"), count)
                let client = AppClient(deck)
                for _ in 0..<requests { _ = try await client.get(Shop.price) }
                _ = try await client.get(Shop.stock)
            }
        }
        #expect(told.map(\.line) == (words == nil ? [] : [line]))
        if let words {
            let message = try #require(told.first?.message)
            #expect(message.hasPrefix("expected \(words) to match GET /price, and saw \(requests)"))
            #expect(message.contains("GET \(Shop.stock) → 200"))
        }
    }

    @Test func `without a count at least one request is expected`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in deck.expect(.get("/price")) }
        }
        #expect(
            told.map(\.message) == [
                "expected at least 1 request to match GET /price, and saw 0\n  no request came at all"
            ]
        )
    }

    @Test func `requests in order may have others between them`() async throws {
        try await withTapedeck(.shop) { deck in
            let client = AppClient(deck)
            for url in [Shop.stock, Shop.price, Shop.stock, Shop.stock, Shop.price] { _ = try await client.get(url) }
            deck.expect(inOrder: [.get("/price"), .get("/stock"), .get("/price")])
            deck.expect(inOrder: [.get("/stock"), .get("/stock"), .get("/stock")])
            deck.expect(inOrder: [])
        }
    }

    @Test func `requests in another order fail the test where the order is expected`() async throws {
        let line = #line + 5
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                let client = AppClient(deck)
                for url in [Shop.stock, Shop.price] { _ = try await client.get(url) }
                deck.expect(inOrder: [.get("/price"), .get("/stock")])
            }
        }
        #expect(told.map(\.line) == [line])
        #expect(
            told.first?.message.contains("expected GET /price, then GET /stock; no request matches GET /stock") == true
        )
        #expect(told.first?.message.contains("behind request 2, which was GET /price") == true)
    }

    @Test func `one request does not count twice in an order`() async throws {
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                _ = try await AppClient(deck).get(Shop.price)
                deck.expect(inOrder: [.get("/price"), .get("/price")])
            }
        }
        #expect(told.count == 1)
    }

    @Test func `verified problems are not reported again`() async throws {
        let told = try await issues {
            try await withTapedeck { deck in
                deck.expect(.get("/price"))
                _ = try await AppClient(deck).get("http://api.example/nowhere")
                try await deck.verify()
                try await deck.verify()
            }
        }
        #expect(told.count == 2)
        #expect(told.last?.message.hasPrefix("nothing on tape answers GET http://api.example/nowhere") == true)
    }

    @Test func `an expectation that no deck understands fails at its own line, and the others are checked`()
        async throws
    {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck(name: "not understood") { deck in
                deck.expect(.get(pattern: "("))
                deck.expect(.get("/price"))
                _ = try await AppClient(deck).get("http://api.example/nowhere")
            }
        }
        #expect(told.map(\.line) == [line, line + 1, line - 1])
        #expect(told.first?.message.hasPrefix("the deck does not understand what is expected") == true)
    }

    @Test func `an expectation on an ended session fails the test at once`() async throws {
        let line = #line + 4
        let told = try await issues {
            var kept: Tapedeck?
            try await withTapedeck(name: "short one") { deck in kept = deck }
            kept?.expect(.get("/price"))
        }
        #expect(told.map(\.line) == [line])
        #expect(told.first?.message.hasPrefix("the session \"short one\" has ended") == true)
    }

    @Test func `the test's error is reported with the first issue`() async throws {
        struct Broken: Error {}
        let told = try await issues {
            try await withTapedeck { deck in
                deck.expect(.get("/price"))
                throw Broken()
            }
        }
        #expect(told.count == 2)
        #expect(told.first?.message.hasPrefix("after the test threw Broken(): expected at least 1 request") == true)
    }

    @Test func `unmatched requests are reported one by one, and many of them as a number`() async throws {
        let line = #line + 2
        let told = try await issues {
            try await withTapedeck(.shop) { deck in
                let client = AppClient(deck)
                for number in 1...12 { _ = try await client.get("\(Shop.price)/\(number)") }
            }
        }
        #expect(told.map(\.line) == [Int](repeating: line, count: 11))
        #expect(told.last?.message == "nothing on tape answers 2 requests more")
    }

    @Test func `a request that a client repeats is one failure with a count, and the remedy is its last line`()
        async throws
    {
        let folder = try TestFiles(["tape.yaml": Shop.cassette.yaml])
        let told = try await issues {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck("tape", folder: folder.path) { deck in
                    let client = AppClient(deck)
                    for _ in 1...3 { _ = try await client.get("\(Shop.price)/gone") }
                    _ = try await client.get("\(Shop.price)/other")
                }
            }
        }
        #expect(told.count == 2)
        let start = "nothing on tape answers GET \(Shop.price)/gone, requested 3 times: "
        #expect(told.first?.message.hasPrefix(start) == true)
        let remedy = "\n    to record what is missing, run the test with TAPEDECK_MODE=new"
        #expect(told.allSatisfy { $0.message.hasSuffix(remedy) })
    }

    @Test(
        arguments: [
            (
                .tapedeck(), .replay, false,
                "the test plays no cassette: give it one, as in .cassette(), and record it with TAPEDECK_MODE=once"
            ),
            (.cassette("a"), .replay, false, "to record what is missing, run the test with TAPEDECK_MODE=new"),
            (.cassette("a"), .once, false, "to record what is missing, run the test with TAPEDECK_MODE=new"),
            (.cassette("a").mode(.replay), .replay, false, "to record what is missing, run the test in the mode .new"),
            (
                .cassette("a"), .replay, true,
                "to record what is missing, run the test with TAPEDECK_MODE=new on your own machine"
            ),
            (.cassette(.shop), .replay, false, nil), (.cassette("a"), .new, false, nil),
        ] as [(TapedeckOptions, TapedeckMode, Bool, String?)]
    )
    func `a miss names its remedy`(options: TapedeckOptions, mode: TapedeckMode, isCI: Bool, remedy: String?) {
        #expect(options.remedyOfMiss(mode, isCI: isCI) == remedy)
    }

    @Test func `what is selected without a cassette is told to need one`() async throws {
        try await withTapedeck { deck in
            let error = await #expect(throws: TapedeckError.self) { try await deck.select("found", for: "user") }
            #expect(error?.message.hasPrefix("there is no response set \"user\"; ") == true)
            #expect(error?.message.contains("the test plays no cassette: give it one, as in .cassette()") == true)
        }
        let error = await #expect(throws: TapedeckError.self) {
            try await withTapedeck(.tapedeck().select("found", for: "user")) { _ in }
        }
        #expect(error?.message.contains("the test plays no cassette: give it one, as in .cassette()") == true)
    }

    @Test func `unmatched requests may be allowed`() async throws {
        try await withTapedeck(.tapedeck().allowsUnmatched()) { deck in
            let reply = try await AppClient(deck).get(Shop.price)
            #expect(reply.status == 501)
        }
    }

    @Test func `an unused set fails the test if required`() async throws {
        let line = #line + 3
        let told = try await issues {
            try await withTapedeck(.cassette(.shop).unused(.error)) { deck in
                try await deck.stub(.get("/unused"), .text("x"))
                try await deck.stub(.get("/used"), .text("x"))
                let client = AppClient(deck)
                for url in ["http://api.example/used", Shop.price] { _ = try await client.get(url) }
            }
        }
        let messages = told.map { "\($0.line - line) \($0.message)" }
        #expect(
            Set(messages) == [
                "0 no request used the stub of GET /unused", "-1 no request used the response set \"stock\"",
                "-1 no request used the response set \"order\"",
            ]
        )
    }
}
