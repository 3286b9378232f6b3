import TapedeckTesting
import Testing

@Suite(.tapedeck(folder: "Fixtures").state(["who": "suite", "where": "suite"]))
struct TraitTests {
    static let price = "http://shop.example/price"

    @Test func `a test of a suite with the trait has a deck without a cassette`() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.get(Self.price), .text("stubbed"))
        #expect(try await Visit.get(Self.price, deck).body == "stubbed")
    }

    @Test(.cassette("shop"))
    func `a cassette is looked for in the folder that the suite names`() async throws {
        let deck = try Tapedeck.current
        #expect(try await Visit.get(Self.price, deck).body == "1")
    }

    @Test(.cassette("shop").select("dear", for: "price"))
    func `a test selects variants`() async throws {
        let deck = try Tapedeck.current
        #expect(try await Visit.get(Self.price, deck).body == "100")
    }

    @Test(.cassette("shop"), .cassette("sale"))
    func `of several cassettes the last one is on top`() async throws {
        let deck = try Tapedeck.current
        #expect(try await Visit.get(Self.price, deck).body == "half")
        #expect(try await Visit.get("http://shop.example/stock", deck).body == "many")
    }

    @Test(.tapedeck().state("who", "test").seed(7))
    func `a test's options override its suite's`() async throws {
        let deck = try Tapedeck.current
        #expect(try await deck.state() == ["who": "test", "where": "suite"])
        #expect(deck.seed == 7)
    }

    @Test func `a session is named after suite and function`() throws {
        let deck = try Tapedeck.current
        #expect(deck.name.hasPrefix("TraitTests/a session is named after suite and function()"))
    }

    @Test(arguments: [1, 2], ["a"])
    func `a case's session is named after its arguments too`(number: Int, letter: String) throws {
        let deck = try Tapedeck.current
        #expect(deck.name.hasSuffix("[\(number), \(letter)]"))
    }

    @Test(.cassette("shop"), arguments: try Tapedeck.variants(of: "price", in: "Fixtures/shop"))
    func `the variants of a set may be the arguments`(variant: String) async throws {
        let deck = try Tapedeck.current
        try await deck.select(variant, for: "price")
        #expect(try await Visit.get(Self.price, deck).body == ["cheap": "1", "dear": "100"][variant])
    }

    @Test(.cassette("shop"), arguments: 0..<40)
    func `cases that run at once do not disturb each other`(number: Int) async throws {
        let deck = try Tapedeck.current
        try await deck.select(number.isMultiple(of: 2) ? "dear" : "cheap", for: "price")
        for _ in 0..<3 {
            #expect(try await Visit.get(Self.price, deck).body == (number.isMultiple(of: 2) ? "100" : "1"))
        }
        deck.expect(.get(Self.price), .exactly(3))
    }

    @Test func `tasks of the test have its deck, detached ones have none`() async throws {
        let deck = try Tapedeck.current
        async let child = try? Tapedeck.current
        let inChild = await child
        let inTask = await Task { try? Tapedeck.current }.value
        let inDetached = await Task.detached { try? Tapedeck.current }.value
        #expect(inChild === deck)
        #expect(inTask === deck)
        #expect(inDetached == nil)
    }

    @Test(.cassette("shop").select("dear", for: "price"))
    func `a nested deck is another session with the same options`() async throws {
        let outer = try Tapedeck.current
        try await withTapedeck { inner in
            #expect(inner !== outer)
            #expect(try await Visit.get(Self.price, inner).body == "100")
            let seen = try await outer.requests()
            #expect(seen.isEmpty)
        }
        #expect(try Tapedeck.current === outer)
    }

    struct Named: CustomTestStringConvertible {
        var testDescription: String { "bob" }
    }

    @Test(arguments: [Named()])
    func `a case's session is named as its argument describes itself`(argument: Named) throws {
        let deck = try Tapedeck.current
        #expect(deck.name.hasSuffix("[bob]"))
    }

    @Test(.cassette(), arguments: ["ada"])
    func ownCassette(name: String) async throws {
        let deck = try Tapedeck.current
        #expect(try await Visit.get(Self.price, deck).body == "\(name)'s price")
    }

    @Test(.cassette(.files(["one.yaml": "tapedeck: 1\nresponseSets: []\n"])))
    func `a cassette may be in memory`() async throws {
        let deck = try Tapedeck.current
        try await deck.withExpectedUnmatched { _ = try await Visit.get(Self.price, deck) }
    }

    @Suite(.tapedeck().state("who", "inner suite"))
    struct Inner {
        @Test(.cassette("shop"))
        func `a suite in a suite has the options of both`() async throws {
            let deck = try Tapedeck.current
            #expect(try await deck.state() == ["who": "inner suite", "where": "suite"])
            #expect(try await Visit.get(TraitTests.price, deck).body == "1")
        }
    }

    @Test(.tapedeck(), WantsDeck(), .tapedeck().seed(3))
    func `traits between ours have the deck of the test`() throws {
        let deck = try Tapedeck.current
        #expect(deck.seed == 3)
    }

    private struct WantsDeck: TestTrait, TestScoping {
        func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            _ = try Tapedeck.current
            try await function()
        }
    }
}

struct LoneTraitTests {
    @Test(.cassette("Fixtures/shop"))
    func `without a suite a cassette is relative to the folder of the test's file`() async throws {
        let deck = try Tapedeck.current
        #expect(try await Visit.get(TraitTests.price, deck).body == "1")
        #expect(deck.name.hasPrefix("LoneTraitTests/"))
    }

    @Test func `a test without a trait has no deck`() {
        #expect(throws: TapedeckError.self) { try Tapedeck.current }
    }

    @Test func `a known issue at the check is not a failure`() async throws {
        try await withTapedeck { deck in
            deck.expect(.get("http://shop.example/price"))
            await withKnownIssue { try await deck.verify() }
        }
    }

    @Test func `a known issue may be around a whole session`() async throws {
        try await withKnownIssue {
            try await withTapedeck { deck in _ = try await Visit.get("http://nobody.example/", deck) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasPrefix("nothing on tape answers GET http://nobody.example/") }
                && issue.sourceLocation?.fileName == "TraitTests.swift"
        }
    }
}
