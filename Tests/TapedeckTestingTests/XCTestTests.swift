import TapedeckTesting
import XCTest

final class TestCaseTests: TapedeckTestCase {
    private static let price = "http://shop.example/price"
    private var deckOfSetUp: Tapedeck?

    override class var tapedeck: TapedeckOptions { .cassette("shop", folder: "Fixtures") }

    override func tapedeckOptions() -> TapedeckOptions {
        var options = super.tapedeckOptions()
        if self.name.hasSuffix("testOptionsOfATest") { options = options.select("dear", for: "price") }
        return options
    }

    override func setUp() async throws {
        self.deckOfSetUp = self.deck
        XCTAssertTrue(try Tapedeck.current === self.deck)
    }

    override func tearDown() {
        XCTAssertTrue(self.deckOfSetUp === self.deck)
        self.deckOfSetUp = nil
    }

    func testSynchronous() throws {
        XCTAssertTrue(self.deckOfSetUp === self.deck)
        XCTAssertEqual(try Visit.get(Self.price, self.deck).body, "1")
        try self.deck.select("dear", for: "price")
        XCTAssertEqual(try Visit.get(Self.price, self.deck).body, "100")
        self.deck.expect(.get(Self.price), .exactly(2))
    }

    func testSynchronousStubs() throws {
        let set = ResponseSet("news", .get("http://shop.example/news")) { Variant("none", .text("no news")) }
        let news = try self.deck.add(set)
        XCTAssertEqual(try Visit.get("http://shop.example/news", self.deck).body, "no news")
        XCTAssertEqual(try news.requests().map(\.path), ["/news"])

        let closed = try self.deck.unimplemented(.get(Self.price))
        try closed.remove()
        XCTAssertEqual(try Visit.get(Self.price, self.deck).body, "1")
        XCTAssertEqual(try self.deck.requests().last?.path, "/price")
    }

    func testAsynchronous() async throws {
        XCTAssertTrue(try Tapedeck.current === self.deck)
        let body = try await Visit.get(Self.price, self.deck).body
        XCTAssertEqual(body, "1")
        try await self.deck.waitFor(.get(Self.price))
    }

    func testSessionIsNamedAfterTheTest() {
        XCTAssertEqual(self.deck.name, self.name)
    }

    func testOptionsOfATest() async throws {
        let body = try await Visit.get(Self.price, self.deck).body
        XCTAssertEqual(body, "100")
    }

    func testSkippedHasNothingMoreToSay() throws {
        self.deck.expect(.get(Self.price))
        throw XCTSkip("what it expects does not come")
    }

    func testDeckInsideTheTests() async throws {
        let outer = self.deck
        try await withTapedeck { inner in
            XCTAssertFalse(inner === outer)
            XCTAssertEqual(inner.name, outer.name)
            let body = try await Visit.get(Self.price, inner).body
            XCTAssertEqual(body, "1")
        }
    }

    @MainActor
    func testOnTheMainActor() async throws {
        XCTAssertTrue(try Tapedeck.current === self.deck)
    }
}

class AppTestCase: XCTestCase {}

final class HostingTests: AppTestCase, TapedeckHosting {
    func testAsynchronous() async throws {
        let deck = try await self.startTapedeck(.cassette("Fixtures/shop").select("dear", for: "price"))
        let body = try await Visit.get("http://shop.example/price", deck).body
        XCTAssertEqual(body, "100")
        XCTAssertEqual(deck.name, self.name)
    }

    func testSynchronous() throws {
        let deck = try self.startTapedeck(.tapedeck("shop", folder: "Fixtures"))
        XCTAssertEqual(try Visit.get("http://shop.example/price", deck).body, "1")
        deck.expect(.get("http://shop.example/price"))
    }

    func testSkippedHasNothingMoreToSay() async throws {
        let deck = try await self.startTapedeck()
        deck.expect(.get("http://shop.example/price"))
        throw XCTSkip("what it expects does not come")
    }
}
